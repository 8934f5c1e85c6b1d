import { type Micros, minus, plus } from '#shared/base/time.ts';
import { DAY, dateOf } from '../deployment-frequency.ts';
import type { PresenceDay } from './presence-day.ts';

/**
 * What is known of the reports of a day. `silent`: no report arrived, as the last report before a later one proves. `unknown`: reports
 * may have arrived before the service counted them.
 */
export const DAY_STATES = ['reported', 'silent', 'unknown'] as const;

export interface ShownDay {
  /** `2026-11-21`. */
  date: string;
  /** Beginning of the day. */
  at: Micros;
  state: (typeof DAY_STATES)[number];
  /** Whether the day is not over. */
  isRunning: boolean;
  /** Only for `reported`. */
  presence: PresenceDay | null;
}

interface Known {
  /** Presence of days, by date. */
  known: ReadonlyMap<string, PresenceDay>;
  /** The last report of the newest day or before it, as the first report behind it says; 0 = never. */
  lastBefore: Micros;
  now: Micros;
}

/**
 * Returns days with what is known of them, the newest first. A presence names the last report before its day, so days between both are
 * known to be silent, although nothing is stored of them.
 *
 * @param days beginnings of the first and of the last day
 */
export function shownDays(
  { oldest, newest }: { oldest: Micros; newest: Micros },
  { known, lastBefore, now }: Known,
): ShownDay[] {
  const days: ShownDay[] = [];
  let before = lastBefore;
  for (let at = newest; at >= oldest; at = minus(at, DAY)) {
    const date = dateOf(at);
    const presence = known.get(date) ?? null;
    const state = presence ? 'reported' : before < at ? 'silent' : 'unknown';
    days.push({ date, at, state, isRunning: now < plus(at, DAY), presence });
    if (presence) before = presence.before;
  }
  return days;
}
