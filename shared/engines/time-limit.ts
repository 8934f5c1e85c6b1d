import { createContext, Script } from 'node:vm';

/** Runs synchronous work; throws what {@link isTimeout} knows when it takes too long. */
export type TimeLimit = <T>(work: () => T) => T;

/**
 * Bounds synchronous work in time from within, so that it ends even where the parent is gone. What was interrupted is
 * left as it was: nothing that it touched may be used again.
 */
export function timeLimit(millis: number): TimeLimit {
  const sandbox: { work?: () => unknown } = createContext({});
  const script = new Script('work()');
  return <T>(work: () => T): T => {
    sandbox.work = work;
    return script.runInContext(sandbox, { timeout: millis }) as T;
  };
}

/** The error comes from the other context, whose Error is not ours. */
export const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && Reflect.get(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
