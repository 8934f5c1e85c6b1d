import { callsOf, type Stack } from '../story/stack-api.ts';

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
  const calls = callsOf(url, org, key, (method, path, { status, text }) => {
    answers.byStatus[status] = (answers.byStatus[status] ?? 0) + 1;
    const fair = status < 300 || status === CONFLICT || expected.includes(status) || (status === 503 && text === BUSY);
    if (!fair) strange(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
  });
  return {
    ...calls,
    kill: () => {
      throw new Error('A client ends no stack');
    },
  };
}
