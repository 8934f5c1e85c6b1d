import type { Recording } from '#test/support/table/recorder.ts';
import type { Usage } from '../prices.ts';

/** What the provider bills for recorded work. */

/**
 * Assumptions about what one machine cannot measure: the length of calls in a region, and what the platform logs. One
 * trace in twenty is recorded once there is more than one call per second.
 */
export const ASSUMED = {
  /** Milliseconds that a function is busy without waiting for calls. */
  ownMillis: 15,
  /** Milliseconds of a call of the table or the bucket. Only calls in a row add up. */
  callMillis: 10,
  /** Bytes of log lines of one call: access log, function and platform. */
  logBytes: 1_200,
  tracedShare: 0.05,
} as const;

const GIGABYTE = 2 ** 30;
export const gigabytes = (bytes: number): number => bytes / GIGABYTE;

/** Returns the memory of a function in GB. */
export type MemoryOf = (name: string) => number;

/** @param memory of the function, in GB */
export const callUsage = (memory: number, callsInRow: number): Usage => ({
  functionCalls: 1,
  functionGigabyteSeconds: (memory * (ASSUMED.ownMillis + callsInRow * ASSUMED.callMillis)) / 1_000,
  logGigabytes: gigabytes(ASSUMED.logBytes),
});

/** What a recorded call of a function uses. @param memory of the function, in GB */
export function recordedUsage({ calls, read, write, stored }: Recording, memory: number): Usage {
  const made = (...names: string[]) =>
    calls.filter(({ command }) => names.some((name) => command.startsWith(name))).length;
  return {
    ...callUsage(memory, Math.max(0, ...calls.map(({ level }) => level))),
    readUnits: read,
    writeUnits: write,
    tableGigabytes: gigabytes(stored.table),
    tableBackupGigabytes: gigabytes(stored.table),
    bucketGigabytes: gigabytes(stored.bucket),
    objectWrites: made('PutObject', 'CopyObject', 'ListObject'),
    objectReads: made('GetObject', 'HeadObject'),
  };
}

/** What the gateway and the answer add to the call of the function. */
export const gatewayUsage = (answer: string): Usage => ({
  gatewayRequests: 1,
  sentGigabytes: gigabytes(Buffer.byteLength(answer)),
});

/** A message that is received and deleted alone. Sending it is counted where it is sent. */
export const RECEIVED_MESSAGE: Usage = { queueRequests: 2 };
