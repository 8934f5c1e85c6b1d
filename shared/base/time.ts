/**
 * An instant in whole microseconds since the Unix epoch (rules/requests.md#time). Exact as a number until the year
 * 2255.
 */
export type Micros = number;

export interface Clock {
  /** Returns the present instant. It never goes back and never repeats in one process. */
  now(): Micros;
}

/**
 * Returns the clock of the system. `Date.now()` has milliseconds only; the microseconds count the calls within one
 * millisecond.
 */
export function systemClock(millis: () => number = Date.now): Clock {
  let last = 0;
  return {
    now() {
      last = Math.max(millis() * 1000, last + 1);
      return last;
    },
  };
}

/**
 * Starts a limit of time for work in pieces.
 * @param wallClock returns the time in milliseconds
 * @returns whether there is time for another piece
 */
export function within(millis: number, wallClock: () => number): () => boolean {
  const until = wallClock() + millis;
  return () => wallClock() < until;
}

/** Converts an instant to seconds since the epoch with a fraction, as answers show it. */
export const toSeconds = (micros: Micros): number => micros / 1e6;

export const fromSeconds = (seconds: number): Micros => Math.round(seconds * 1e6);

/** Returns the earliest instant that {@link toSeconds} shows as `seconds` or more. */
export function firstMicrosFrom(seconds: number): Micros {
  const nearest = fromSeconds(seconds);
  return toSeconds(nearest) < seconds ? nearest + 1 : nearest;
}

/** Returns the latest instant that {@link toSeconds} shows as `seconds` or less. */
export function lastMicrosTo(seconds: number): Micros {
  const nearest = fromSeconds(seconds);
  return toSeconds(nearest) > seconds ? nearest - 1 : nearest;
}

/** Returns the later of `now` and one microsecond after `before`. So the times of a series strictly increase. */
export const after = (previous: Micros | undefined, now: Micros): Micros =>
  previous === undefined ? now : Math.max(now, previous + 1);
