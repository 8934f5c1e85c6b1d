import type { Micros } from '#shared/base/time.ts';

const SECOND: Micros = 1_000_000;
/** Delays after the first, second … failed attempt (`rules/notifications.md#schedule`). */
export const DELAYS: readonly Micros[] = [2, 5, 10, 30, 120, 600, 3600, 21_600].map((seconds) => seconds * SECOND);
/** After this many failed attempts a delivery is dead. */
export const MOST_ATTEMPTS = DELAYS.length + 1;
/** The longest pause that a target can ask for (`rules/notifications.md#retry-after`). */
export const LONGEST_RETRY_AFTER: Micros = 6 * 3600 * SECOND;
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
  const spread = 1 - SPREAD + 2 * SPREAD * random();
  return now + Math.max(Math.round(delay * spread), pauseAskedFor(retryAfter, now));
}

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
/** The one form of a date that RFC 9110 §5.6.7 allows senders to use. */
const HTTP_DATE = new RegExp(`^[A-Z][a-z]{2}, \\d{2} (?:${MONTHS}) \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$`);

/** Reads the pause of a `Retry-After` header, in microseconds; 0 for a date in the past and for any other text. */
export function pauseAskedFor(header: string | undefined, now: Micros): Micros {
  const text = header?.trim() ?? '';
  const pause = /^\d{1,15}$/.test(text)
    ? Number(text) * SECOND
    : HTTP_DATE.test(text)
      ? Date.parse(text) * 1000 - now
      : 0;
  return Math.min(Math.max(Number.isNaN(pause) ? 0 : pause, 0), LONGEST_RETRY_AFTER);
}
