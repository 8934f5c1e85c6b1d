import { callsOf, type Stack } from '../story/stack-api.ts';

/** Counts the answers of the whole soak. */
export interface Answers {
  byStatus: Record<string, number>;
  /** Sentences about the first answers that no fault explains. */
  unexpected: string[];
}

export const newAnswers = (): Answers => ({ byStatus: {}, unexpected: [] });

/** The answers of the service, and of the gateway for a call that found no free container in time or whose container ended. */
const BUSY = /^\{"message":"Service [Uu]navailable"[,}]/;
const CONFLICT = 409;
const MOST_UNEXPECTED = 20;
/** How often the checks read something while the service is busy. */
const MOST_TRIES = 20;

/**
 * Returns one client of a stack, with a key of its own. The client counts every answer. An answer that is no success
 * must be a 409, a 503 of the service or of the gateway, or have one of the `expected` status codes.
 */
export function soakClient(
  url: string,
  org: string,
  key: string,
  answers: Answers,
  expected: readonly number[] = [],
): Stack {
  const report = (text: string) => {
    if (answers.unexpected.length < MOST_UNEXPECTED) answers.unexpected.push(text);
  };
  const calls = callsOf(url, org, key, (method, path, { status, text }) => {
    answers.byStatus[status] = (answers.byStatus[status] ?? 0) + 1;
    const isExplained =
      status < 300 || status === CONFLICT || expected.includes(status) || (status === 503 && BUSY.test(text));
    if (!isExplained) report(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
  });
  return {
    ...calls,
    get: async <T>(path: string) => {
      for (let tries = 1; ; tries += 1) {
        const { status, text } = await calls.call('GET', path);
        if (status === 200) return JSON.parse(text) as T;
        if (status !== 503 || tries === MOST_TRIES) throw new Error(`GET ${path}: ${status} ${text}`);
      }
    },
    kill: () => {
      throw new Error('A client of the soak cannot kill the stack');
    },
  };
}
