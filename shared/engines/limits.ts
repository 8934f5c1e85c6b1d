import type { Breach } from './messages.ts';

/** Defaults of the child process. A sound rule takes about a millisecond; the rest is for a busy machine. */
export const TIMEOUT_MILLIS = 1000;

/** Applies to the child's heap and, separately, to the memory of the jq engine. */
export const MEMORY_MB = 256;

/** The longest jq program, in characters. */
export const MAX_PROGRAM_LENGTH = 16 * 1024;

/** The most jq programs of one type. */
export const MAX_PROGRAMS = 100;

/** The longest output of one jq program, in characters of JSON. */
export const MAX_OUTPUT_LENGTH = 64 * 1024;

/** The largest schema, in characters of JSON (semantics §15: type schema 1 MB). */
export const MAX_SCHEMA_LENGTH = 1024 * 1024;

/** The longest message that leaves an engine: its text may be the caller's own data. */
export const MAX_MESSAGE_LENGTH = 500;

export const shorten = (message: string): string =>
  message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;

/** @returns what a caller is told whose program broke a limit */
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
