import { type Log, writeToLog } from '#shared/http/access-log.ts';

/** Logs an unexpected event of a worker as one structured line. Alarms count lines of the relay. */
export type RelayLog = (message: string, facts: Record<string, unknown>) => void;

/**
 * Returns a log of the relay, or of another worker.
 * @param invocation id by which the lines of one call are found
 */
export const relayLog =
  (invocation: string, log: Log = writeToLog, wallClock: () => number = Date.now, service = 'relay'): RelayLog =>
  (message, facts) =>
    log({
      level: 'ERROR',
      message,
      timestamp: new Date(wallClock()).toISOString(),
      service,
      request_id: invocation,
      ...facts,
    });
