import { type Log, logToConsole } from '#shared/http/access-log.ts';

/** Tells an operator of what should not have happened: one structured line that an alarm counts. */
export type RelayLog = (message: string, facts: Record<string, unknown>) => void;

/** @param invocation id under which the lines of one call are found together */
export const relayLog =
  (invocation: string, log: Log = logToConsole, wallClock: () => number = Date.now): RelayLog =>
  (message, facts) =>
    log({
      level: 'ERROR',
      message,
      timestamp: new Date(wallClock()).toISOString(),
      service: 'relay',
      request_id: invocation,
      ...facts,
    });
