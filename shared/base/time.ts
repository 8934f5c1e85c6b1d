import * as z from 'zod';

/**
 * An instant in whole microseconds since the Unix epoch (rules/requests.md#time). Exact as a number until the year
 * 2255. Seconds, milliseconds and counts are no instants: the compiler refuses them.
 */
export type Micros = number & z.$brand<'Micros'>;

/** A span of time in whole microseconds: what lies between two instants. */
export type Duration = number;

/** Reads a stored instant. */
export const StoredMicros = z.number().brand<'Micros'>();

/**
 * Takes a number as an instant: the bound of a range. All other instants come from a clock, an id, a stored item or a
 * request, or are computed from these.
 */
export const micros = (number: number): Micros =>
  // A brand exists for the compiler alone, so no check could find it.
  number as Micros;

/** The instant 0. Items and answers hold it where there is no instant: a key that never ends, a target that never failed. */
export const EPOCH = micros(0);

/** Returns the instant `duration` after `at`; before it, if the duration is negative. */
export const plus = (at: Micros, duration: Duration): Micros => micros(at + duration);

/** Returns the instant `duration` before `at`. */
export const minus = (at: Micros, duration: Duration): Micros => micros(at - duration);

/** Returns the latest of one or more instants. */
export const latestOf = (...instants: readonly Micros[]): Micros => micros(Math.max(...instants));
/** Returns the earliest of one or more instants. */
export const earliestOf = (...instants: readonly Micros[]): Micros => micros(Math.min(...instants));

export interface Clock {
  /** Returns the present instant. It never goes back and never repeats in one process. */
  now(): Micros;
}

/**
 * Returns the clock of the system. `Date.now()` has milliseconds only; the microseconds count the calls within one
 * millisecond.
 */
export function systemClock(millis: () => number = Date.now): Clock {
  let last = EPOCH;
  return {
    now() {
      last = after(last, fromMillis(millis()));
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
export const toSeconds = (at: Micros): number => at / 1e6;
/** The same where there may be no instant. */
export const secondsOrNull = (at: Micros | null | undefined): number | null => (at == null ? null : toSeconds(at));
/** Converts a span of time to seconds with a fraction. */
export const secondsOf = (duration: Duration): number => duration / 1e6;

export const fromSeconds = (seconds: number): Micros => micros(Math.round(seconds * 1e6));
export const fromMillis = (millis: number): Micros => micros(millis * 1000);

/** Returns the earliest instant that {@link toSeconds} shows as `seconds` or more. */
export function firstMicrosFrom(seconds: number): Micros {
  const nearest = fromSeconds(seconds);
  return toSeconds(nearest) < seconds ? plus(nearest, 1) : nearest;
}

/** Returns the latest instant that {@link toSeconds} shows as `seconds` or less. */
export function lastMicrosTo(seconds: number): Micros {
  const nearest = fromSeconds(seconds);
  return toSeconds(nearest) > seconds ? minus(nearest, 1) : nearest;
}

/** Returns the later of `now` and one microsecond after `before`. So the times of a series strictly increase. */
export const after = (previous: Micros | undefined, now: Micros): Micros =>
  previous === undefined ? now : latestOf(now, plus(previous, 1));
