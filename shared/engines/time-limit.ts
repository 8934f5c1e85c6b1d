import { createContext, Script } from 'node:vm';

/** Runs synchronous work. Throws an error for which {@link isTimeout} is true if the work takes too long. */
export type TimeLimit = <T>(work: () => T) => T;

/**
 * Returns a function that runs synchronous work within a time limit. The limit works inside the process, so the work
 * ends even after the parent has ended. Interrupted work leaves objects half changed: discard everything that it used.
 *
 * @param millis the limit in milliseconds
 */
export function timeLimit(millis: number): TimeLimit {
  const sandbox: { work?: () => unknown } = createContext({});
  const script = new Script('work()');
  return <T>(work: () => T): T => {
    sandbox.work = work;
    // The script calls `work` and returns its value.
    return script.runInContext(sandbox, { timeout: millis }) as T;
  };
}

/** The error comes from another context, so `instanceof Error` is false for it. */
export const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && Reflect.get(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
