import {
  type Duration,
  EPOCH,
  earliestOf,
  fromSeconds,
  latestOf,
  type Micros,
  minus,
  plus,
  toSeconds,
} from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';

/** Number of days that are counted unless the request names a start (rules/environments.md#deployment-frequency). */
const DEFAULT_DAYS = 28;
/** Each day is an item of its own, so the limit keeps a request within one or two calls. */
const MOST_DAYS = 366;

export const DAY: Duration = 86_400_000_000;

/** Whole days in UTC. */
export interface Days {
  /** Beginning of the first day. */
  start: Micros;
  /** Beginning of the last day. */
  last: Micros;
  /** End of the last day, or now if that day has not ended. */
  end: Micros;
}

/** The date of an instant in UTC, `2026-11-21`. */
export const dateOf = (at: Micros): string => new Date(at / 1000).toISOString().slice(0, 10);

/** The beginning of the day of an instant, in UTC. */
export const beginOfDay = (at: Micros): Micros => minus(at, at % DAY);
const countOf = ({ start, last }: Pick<Days, 'start' | 'last'>): number => (last - start) / DAY + 1;

/**
 * Returns the days from that of `start_ts` to that of `end_ts`, both included. Without `end_ts` the last day is today;
 * without `start_ts` there are 28 days.
 * @param names of the parameters, for the sentences
 * @throws ServiceError `invalid` under the parameter of the start if the start is after the end, or if there are more than 366 days
 */
export function daysOf(
  { start_ts: start, end_ts: end }: { start_ts?: number | undefined; end_ts?: number | undefined },
  now: Micros,
  names: { start: string; end: string } = { start: 'start_ts', end: 'end_ts' },
): Days {
  const latest = end === undefined ? now : earliestOf(now, fromSeconds(end));
  const last = beginOfDay(latest);
  if (start !== undefined && start > toSeconds(latest)) {
    const text = `Input should be less than or equal to ${names.end} and not in the future`;
    throw invalidField(`query.${names.start}`, text, start);
  }
  const first =
    start === undefined ? latestOf(EPOCH, minus(last, (DEFAULT_DAYS - 1) * DAY)) : beginOfDay(fromSeconds(start));
  if (countOf({ start: first, last }) > MOST_DAYS) {
    throw invalidField(`query.${names.start}`, `Input should be at most ${MOST_DAYS} days before ${names.end}`, start);
  }
  return { start: first, last, end: earliestOf(now, plus(last, DAY)) };
}

/**
 * Computes the frequency of deployments over some days (rules/environments.md#deployment-frequency).
 * @param countOn number of deployments on a date, `2026-11-21`
 * @returns the days oldest first, days without deployments included; `at` is their beginning
 */
export function deploymentFrequency(countOn: (date: string) => number, { start, last }: Days) {
  const count = countOf({ start, last });
  const days = Array.from({ length: count }, (_, i) => {
    const at = plus(start, i * DAY);
    return { date: dateOf(at), at, count: countOn(dateOf(at)) };
  });
  const total = days.reduce((sum, day) => sum + day.count, 0);
  const sorted = days.map((day) => day.count).sort((a, b) => a - b);
  const middle = sorted.slice(Math.floor((count - 1) / 2), Math.floor(count / 2) + 1);
  const medianPerDay = middle.reduce((sum, one) => sum + one, 0) / middle.length;
  return { total, medianPerDay, averagePerDay: total / count, days };
}
