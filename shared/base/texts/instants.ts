import type { Micros } from '#shared/base/time.ts';

/** `2026-11-29T13:04:21Z`: an instant in a sentence. Fractions of a second are left out. */
export const timeText = (at: Micros): string => secondsText(Math.floor(at / 1e6));

/** The same for an instant in seconds since the epoch. */
export const secondsText = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
