import { shortenText } from '#shared/base/well-formed.ts';
import type { Breach } from './messages.ts';

/** Default time limit of one call. A usual rule takes about 1 ms; the rest is reserve for a busy machine. */
export const TIMEOUT_MILLIS = 1000;

/** Default memory limit, applied to the child's heap and separately to the jq engine. */
export const MEMORY_MB = 256;

/** The longest jq program, in characters. */
export const MAX_PROGRAM_LENGTH = 16 * 1024;

/** The maximal number of jq programs of one type. */
export const MAX_PROGRAMS = 100;

/** The longest output of one jq program, in characters of JSON. */
export const MAX_OUTPUT_LENGTH = 64 * 1024;

/** The largest schema, in characters of JSON (rules/attestations.md#type-schema). */
export const MAX_SCHEMA_LENGTH = 1024 * 1024;

/** The longest message of an engine, in characters. A message may quote the caller's data, which may be long. */
const MAX_MESSAGE_LENGTH = 500;

export const shorten = (message: string): string => shortenText(message, MAX_MESSAGE_LENGTH);

/** @returns the sentence for the caller whose program exceeded a limit (rules/attestations.md#engine-limits) */
export function breachText(breach: Breach, limits: { timeoutMillis: number; memoryMb: number }): string {
  switch (breach) {
    case 'time':
      return `took longer than ${limits.timeoutMillis} ms`;
    case 'memory':
      return `needed more than ${limits.memoryMb} MB of memory`;
    case 'crash':
      return 'brought its engine down';
  }
}
