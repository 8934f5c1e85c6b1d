import { timesByClass } from '#shared/console/times-by-class.ts';
import { duration } from './time.ts';
import { count, nounOf } from './words.ts';

const DAY = 86_400;

/**
 * How often something happens, so that it says something for rare events too: `1 deployment every 9 days`, `4 trails per day`.
 *
 * @param noun what happens: `deployment`
 */
export function paceText(total: number, days: number, noun: string): string {
  if (total === 0) return `No ${noun} in ${count(days, 'day')}.`;
  const perDay = total / days;
  if (perDay >= 1.5) return `About ${Number(perDay.toFixed(perDay < 10 ? 1 : 0))} ${nounOf(2, noun)} per day.`;
  const every = Math.max(1, Math.round(days / total));
  return every === 1 ? `About one ${noun} per day.` : `About one ${noun} every ${every} days.`;
}

/** Fewer days than this have too few gaps for a median. */
const LEAST_DAYS = 4;

/**
 * How far apart the days are on which something happened. It describes rare events, for which a median per day is zero.
 *
 * @param days the oldest first
 * @param noun what happens: `deployment`
 * @returns empty if the days are few, or next to each other
 */
export function gapText(days: readonly { count: number }[], noun: string): string {
  const places = days.flatMap(({ count: number }, n) => (number > 0 ? [n] : []));
  const gaps = places.slice(1).map((place, n) => place - (places[n] ?? 0));
  const median = gaps.sort((a, b) => a - b)[Math.ceil(gaps.length / 2) - 1] ?? 0;
  if (places.length < LEAST_DAYS || median < 2) return '';
  return `After half of the days with a ${noun}, the next one came within ${median} days.`;
}

/** Lengths of time over several occasions, as the API gives them: seconds. */
export interface Times {
  known: number;
  median: number | null;
  p90: number | null;
  classes?: readonly { up_to: number | null; count: number }[] | undefined;
}

/**
 * `Half of 12 deployments within 3 h 2 min, 9 of 10 within 2 d.` Of fewer than ten, the longest stands for 9 of 10.
 *
 * @param noun what was counted: `deployment`
 * @returns null if nothing is known
 */
export function timesText({ known, median, p90 }: Times, noun: string): string | null {
  if (median === null || p90 === null) return null;
  if (known === 1) return `One ${noun}: ${duration(median)}.`;
  const rest = known < 10 ? `all of them within ${duration(p90)}` : `9 of 10 within ${duration(p90)}`;
  return `Half of ${count(known, noun)} within ${duration(median)}, ${rest}.`;
}

/** The upper edge of a class: `up to 5 min`, `up to 3 d`. The last class has none. */
export const edgeText = (edge: number | null): string => {
  if (edge === null) return 'longer';
  return `up to ${edge >= DAY ? `${edge / DAY} d` : duration(edge)}`;
};

/** The classes without those at both ends that are empty, so that the plot shows what happened. */
export function usedClasses<C extends { count: number }>(classes: readonly C[]): readonly C[] {
  const first = classes.findIndex((one) => one.count > 0);
  const last = classes.findLastIndex((one) => one.count > 0);
  return first < 0 ? [] : classes.slice(first, last + 1);
}

/** Counts lengths of time that the browser knows itself. @param seconds in any order */
export function timesFrom(seconds: readonly number[]): Times {
  const ascending = seconds.toSorted((a, b) => a - b);
  const percentile = (share: number) => ascending[Math.ceil(share * ascending.length) - 1] ?? null;
  return { known: ascending.length, median: percentile(0.5), p90: percentile(0.9), classes: timesByClass(seconds) };
}
