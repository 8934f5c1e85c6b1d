import { EPOCH, fromMillis, latestOf, type Micros, minus, plus } from '#shared/base/time.ts';

const HOUR = 3_600_000_000;

/** Units with a fixed length, in microseconds. */
const LENGTHS = { minute: HOUR / 60, hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR } as const;
export type Unit = keyof typeof LENGTHS | 'month';

/** Goes back by a number of units, but not before the epoch. Months are calendar months in UTC (rules/snapshot-expressions.md#instants). */
export const before = (now: Micros, count: number, unit: Unit): Micros =>
  latestOf(EPOCH, unit === 'month' ? monthsBefore(now, count) : minus(now, count * LENGTHS[unit]));

/** The same day and time in an earlier month, or that month's last day if it is shorter. 0 if the date is out of range. */
function monthsBefore(now: Micros, count: number): Micros {
  const millis = Math.floor(now / 1000);
  const date = new Date(millis);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - count);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return Number.isNaN(date.getTime()) ? EPOCH : plus(fromMillis(date.getTime()), now - millis * 1000);
}

const DATE_TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?Z?$/;

/**
 * Parses `YYYY-MM-DDTHH:MM:SS` as UTC. A fraction and a `Z` may follow (rules/snapshot-expressions.md#instants). Digits
 * beyond microseconds are dropped.
 * @returns undefined for other forms, and for dates that do not exist
 */
export function dateTime(text: string): Micros | undefined {
  const [, seconds, fraction = ''] = DATE_TIME.exec(text) ?? [];
  if (seconds === undefined) return undefined;
  const date = new Date(`${seconds}Z`);
  // `Date` turns a date that does not exist, such as 30 February, into one of the next month.
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(seconds)) return undefined;
  return plus(fromMillis(date.getTime()), Number(fraction.padEnd(6, '0').slice(0, 6)));
}
