import { type Log, writeToLog } from '#shared/http/access-log.ts';

/** Logs an unexpected event of the relay as one structured line. An alarm counts these lines. */
export type RelayLog = (message: string, facts: Record<string, unknown>) => void;

/**
 * Returns a log of the relay.
 * @param invocation id by which the lines of one call are found
 */
export const relayLog =
  (invocation: string, log: Log = writeToLog, wallClock: () => number = Date.now): RelayLog =>
  (message, facts) =>
    log({
      level: 'ERROR',
      message,
      timestamp: new Date(wallClock()).toISOString(),
      service: 'relay',
      request_id: invocation,
      ...facts,
    });
