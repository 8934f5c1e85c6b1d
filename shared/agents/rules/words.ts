import type { Micros } from '#shared/base/time.ts';

/** `2026-11-29T13:04:21Z` */
export const timeText = (at: Micros): string => secondsText(Math.floor(at / 1e6));

/** The same for an instant in seconds since the epoch. */
export const secondsText = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

/** The word for a verdict. @param state null = unknown */
export const stateWord = (state: boolean | null): string =>
  state === null ? 'unknown' : state ? 'compliant' : 'not compliant';
