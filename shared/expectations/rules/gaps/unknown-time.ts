import * as z from 'zod';
import { MINUTE } from '#shared/base/texts/durations.ts';
import {
  type Duration,
  EPOCH,
  earliestOf,
  latestOf,
  type Micros,
  minus,
  plus,
  StoredMicros,
} from '#shared/base/time.ts';

/** Time in which the service did not sweep: whole minutes without a beat (rules/expectations.md#unknown-time). */
export const UnknownTime = z.object({ from: StoredMicros, to: StoredMicros });
export type UnknownTime = z.infer<typeof UnknownTime>;

/** Returns the beginning of the minute of an instant. */
export const minuteOf = (at: Micros): Micros => minus(at, at % MINUTE);

/** Returns the minutes between two beats; null if the second follows the first without a missing minute. */
export function missingBetween(beat: Micros, next: Micros): UnknownTime | null {
  const from = plus(minuteOf(beat), MINUTE);
  const to = minuteOf(next);
  return from < to ? { from, to } : null;
}

/** Returns the parts of unknown time that lie between two instants. */
export function unknownWithin(times: readonly UnknownTime[], from: Micros, to: Micros): UnknownTime[] {
  return times
    .map((one) => ({ from: latestOf(one.from, from), to: earliestOf(one.to, to) }))
    .filter((one) => one.from < one.to)
    .toSorted((one, other) => one.from - other.from);
}

/** Returns how long unknown time lasts. The parts do not overlap. */
export const lengthOf = (times: readonly UnknownTime[]): Duration =>
  times.reduce((sum, { from, to }) => sum + (to - from), 0);

/**
 * Returns the instant from which on so much known time lies before another instant.
 *
 * @param times do not overlap
 */
export function knownBefore(at: Micros, duration: Duration, times: readonly UnknownTime[]): Micros {
  let [from, left] = [at, duration];
  for (const time of times.toSorted((one, other) => other.to - one.to)) {
    if (time.from >= from) continue;
    const known = from - earliestOf(time.to, from);
    if (known >= left) break;
    left -= known;
    from = time.from;
  }
  return from > left ? minus(from, left) : EPOCH;
}
