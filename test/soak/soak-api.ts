import type { Answer, Stack } from '../story/stack-api.ts';

/** What was answered, over the whole soak. */
export interface Answers {
  byStatus: Record<string, number>;
  /** Answers that no fault explains, as sentences; the first ones. */
  strange: string[];
}

export const newAnswers = (): Answers => ({ byStatus: {}, strange: [] });

const BUSY = '{"message":"Service unavailable"}';
const CONFLICT = 409;
const MOST_STRANGE = 20;

/**
 * A stack as one client uses it, with a key of its own. Every answer is counted; whatever is no success must be one of
 * the contract's own: 503 «Service unavailable», 409, or one of `expected`.
 */
export function soakClient(
  url: string,
  org: string,
  key: string,
  answers: Answers,
  expected: readonly number[] = [],
): Stack {
  const strange = (text: string) => {
    if (answers.strange.length < MOST_STRANGE) answers.strange.push(text);
  };
  const call: Stack['call'] = async (method, path, { json, form, headers } = {}) => {
    const address = `${url}/api/v2${path.replace(/^\/[\w-]+/, (group) => `${group}/${org}`)}`;
    const body = form === undefined ? undefined : new FormData();
    body?.append('data_json', JSON.stringify(form));
    const response = await fetch(address, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body }),
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const answer: Answer = { status: response.status, text: await response.text() };
    const { status, text } = answer;
    answers.byStatus[status] = (answers.byStatus[status] ?? 0) + 1;
    const fair = status < 300 || status === CONFLICT || expected.includes(status) || (status === 503 && text === BUSY);
    if (!fair) strange(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
    return answer;
  };
  return {
    call,
    async get<T>(path: string) {
      const { status, text } = await call('GET', path);
      if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
      return JSON.parse(text) as T;
    },
    kill: () => {
      throw new Error('A client ends no stack');
    },
  };
}
