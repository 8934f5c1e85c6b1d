import { stdout } from 'node:process';
import { runningRelease } from './release.ts';

/** One line of the log, as JSON. It never contains secrets, bodies or query strings (rules/requests.md#request-log). */
export interface LogEntry {
  level: 'INFO' | 'WARN' | 'ERROR';
  message: string;
  /** ISO 8601. */
  timestamp: string;
  service: string;
  request_id: string;
  [field: string]: unknown;
}

export type Log = (entry: LogEntry) => void;

/**
 * Writes a line to the standard output, with the release that wrote it. It does not use the console, because the runtime of a region puts time, id and
 * level in front of what the console writes. The line would then not be JSON, and no metric filter would count it
 * (rules/requests.md#request-log).
 */
export const writeToLog: Log = (entry) => void stdout.write(`${JSON.stringify({ ...entry, ...runningRelease() })}\n`);

/** Logs an unexpected event of a worker as one structured line. Alarms count lines of the relay. */
export type WorkerLog = (message: string, facts: Record<string, unknown>) => void;

/** Returns the log of a worker. @param invocation id by which the lines of one call are found */
export function workerLog(invocation: string, log?: Log, wallClock?: () => number, service = 'relay'): WorkerLog {
  const line = messageLog(service, log, wallClock);
  return (message, facts) => line('ERROR', message, { messageId: invocation }, facts);
}

/** Returns a log of what a worker did with messages of a queue. */
export const messageLog =
  (service: string, log: Log = writeToLog, wallClock: () => number = Date.now) =>
  (level: 'INFO' | 'ERROR', message: string, { messageId }: { messageId: string }, facts: Record<string, unknown>) =>
    log({
      level,
      message,
      timestamp: new Date(wallClock()).toISOString(),
      service,
      request_id: messageId,
      ...facts,
    });
