import type { Micros } from '#shared/base/time.ts';

const SECOND: Micros = 1_000_000;
/** Delays after the first, second … failed attempt (semantics §10.5). */
export const DELAYS: readonly Micros[] = [2, 5, 10, 30, 120, 600, 3600, 21_600].map((seconds) => seconds * SECOND);
/** After so many attempts a delivery is a dead letter. */
export const MOST_ATTEMPTS = DELAYS.length + 1;
/** A target may ask for no longer a pause than this. */
export const LONGEST_RETRY_AFTER: Micros = 6 * 3600 * SECOND;
const SPREAD = 0.2;

/**
 * When a delivery is due again: its delay, ± 20 % so that what failed together does not come back together, or later
 * where the target asked for a longer pause (semantics §10.5, design §6).
 * @param attemptsMade attempts so far, the failed one included: at least 1
 * @param retryAfter the `Retry-After` header of the answer as it came
 * @param random at least 0, below 1
 * @returns the instant, or `dead` after the last attempt
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
/** The one form of a date that RFC 9110 §5.6.7 lets senders use. */
const HTTP_DATE = new RegExp(`^[A-Z][a-z]{2}, \\d{2} (?:${MONTHS}) \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$`);

/** The pause that a `Retry-After` header asks for, in microseconds: 0 for one that is past or makes no sense. */
export function pauseAskedFor(header: string | undefined, now: Micros): Micros {
  const text = header?.trim() ?? '';
  const pause = /^\d{1,15}$/.test(text)
    ? Number(text) * SECOND
    : HTTP_DATE.test(text)
      ? Date.parse(text) * 1000 - now
      : 0;
  return Math.min(Math.max(Number.isNaN(pause) ? 0 : pause, 0), LONGEST_RETRY_AFTER);
}
