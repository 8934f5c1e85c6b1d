import { type Duration, type Micros, plus } from '#shared/base/time.ts';
import type { PlayedGap } from './play-reports.ts';

/** Plays expectations about flows, trails and artifacts over what came, which is known exactly (rules/expectations.md#dry-run). */

interface Terms {
  every: Duration;
  grace: Duration;
}

/**
 * Returns the gaps of what has to come again and again, the oldest first. Arrivals before the begin do not count.
 *
 * @param arrivals the oldest first
 * @param begin the begin of the period, or when the flow was made
 */
export function playArrivals(
  terms: Terms,
  { arrivals, begin, now }: { arrivals: readonly Micros[]; begin: Micros; now: Micros },
): PlayedGap[] {
  const counted = arrivals.filter((at) => at > begin && at <= now);
  return [begin, ...counted].flatMap((at, i) => gapAfter(terms, at, counted[i] ?? null, now));
}

/** Returns the gap of what has to come once after a beginning: none, or one. @param met when it came; null = not yet */
export const playOnce = (
  terms: Terms,
  { begun, met }: { begun: Micros; met: Micros | null },
  now: Micros,
): PlayedGap[] => gapAfter(terms, begun, met, now);

function gapAfter({ every, grace }: Terms, at: Micros, next: Micros | null, now: Micros): PlayedGap[] {
  const isGap = (next ?? now) - at > every + grace;
  return isGap ? [{ from: plus(at, every), until: next, isExact: true }] : [];
}
