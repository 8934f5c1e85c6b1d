import { type Duration, latestOf, type Micros, plus } from '#shared/base/time.ts';
import type { Delivery, TargetHealth } from './records.ts';

const SECOND: Duration = 1_000_000;
/** Delays after the first, second … failed attempt (`rules/notifications.md#schedule`). */
export const DELAYS: readonly Duration[] = [2, 5, 10, 30, 120, 600, 3600, 21_600].map((seconds) => seconds * SECOND);
/** After this many failed attempts a delivery is dead. */
export const MOST_ATTEMPTS = DELAYS.length + 1;
/** The longest pause that a target can ask for (`rules/notifications.md#retry-after`). */
export const LONGEST_RETRY_AFTER: Duration = 6 * 3600 * SECOND;
const SPREAD = 0.2;

/**
 * Computes when a delivery is due again after a failed attempt: after the delay of the schedule ± 20 %, or later if the
 * target asked for a longer pause. The random part keeps deliveries that failed together from returning together.
 * @param attemptsMade attempts so far, the failed one included: at least 1
 * @param retryAfter the `Retry-After` header of the answer, unchanged
 * @param random returns a number of at least 0 and below 1
 * @returns the instant, or `dead` after the last attempt
 * @throws RangeError if `attemptsMade` is below 1
 */
export function afterFailure(
  attemptsMade: number,
  now: Micros,
  retryAfter: string | undefined,
  random: () => number,
): Micros | 'dead' {
  if (attemptsMade < 1) throw new RangeError('A failure comes after at least one attempt');
  const delay = DELAYS[attemptsMade - 1];
  if (delay === undefined) return 'dead';
  return plus(now, Math.max(spread(delay, random), pauseAskedFor(retryAfter, now)));
}

const spread = (delay: Duration, random: () => number): Duration =>
  Math.round(delay * (1 - SPREAD + 2 * SPREAD * random()));

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
/** The one form of a date that RFC 9110 §5.6.7 allows senders to use. */
const HTTP_DATE = new RegExp(`^[A-Z][a-z]{2}, \\d{2} (?:${MONTHS}) \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$`);

/** Reads the pause of a `Retry-After` header, in microseconds; 0 for a date in the past and for any other text. */
export function pauseAskedFor(header: string | undefined, now: Micros): Duration {
  const text = header?.trim() ?? '';
  const pause = /^\d{1,15}$/.test(text)
    ? Number(text) * SECOND
    : HTTP_DATE.test(text)
      ? Date.parse(text) * 1000 - now
      : 0;
  return Math.min(Math.max(Number.isNaN(pause) ? 0 : pause, 0), LONGEST_RETRY_AFTER);
}

const SHORTEST_HOLD: Duration = 30 * SECOND;
const LONGEST_HOLD: Duration = 900 * SECOND;
/** A delivery is held for a quarter of its age. The longer a target is down, the rarer its deliveries are looked at. */
const PART_OF_AGE = 4;
/**
 * A held delivery is given up if its target accepted nothing for this time. It is longer than all delays of a delivery
 * together.
 */
const GIVEN_UP_AFTER: Duration = 24 * 3600 * SECOND;

/**
 * Computes the next due time of a delivery whose target has an open circuit (`rules/notifications.md#holding`). The
 * time is spread at random, so that held deliveries do not all become due together.
 * @param random returns a number of at least 0 and below 1
 * @returns an instant that is never before `probeAt`
 */
export function holdUntil({ created }: Pick<Delivery, 'created'>, probeAt: Micros, now: Micros, random: () => number) {
  const hold = Math.min(Math.max((now - created) / PART_OF_AGE, SHORTEST_HOLD), LONGEST_HOLD);
  return latestOf(probeAt, plus(now, spread(hold, random)));
}

/**
 * Says whether a held delivery is given up: it is older than {@link GIVEN_UP_AFTER}, and its target accepted nothing in
 * that time (`rules/notifications.md#holding`).
 */
export const isGivenUp = (
  { created }: Pick<Delivery, 'created'>,
  { lastSuccess }: Pick<TargetHealth, 'lastSuccess'>,
  now: Micros,
): boolean => Math.max(created, lastSuccess) <= now - GIVEN_UP_AFTER;
