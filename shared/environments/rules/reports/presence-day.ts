import * as z from 'zod';
import { type Duration, EPOCH, latestOf, type Micros, minus, plus, StoredMicros } from '#shared/base/time.ts';
import { DAY, dateOf } from '../deployment-frequency.ts';

/** What came on a day: how many reports in each hour, the first, the last, and the longest silence (rules/environments.md#presence). */

const HOUR: Duration = DAY / 24;
/** Shorter silences are not looked for, so that a report a minute costs one write unit (rules/environments.md#count-of-reports). */
export const SHORTEST_SILENCE: Duration = 120_000_000;

const Hours = z.array(z.int()).length(24);

/** The presence of a closed day as it is stored. No code changes it. */
export const PresenceDay = z.object({
  /** Reports by hour of the day. */
  hours: Hours,
  /** When the first and the last report arrived. */
  first: StoredMicros,
  last: StoredMicros,
  /** The longest time between two reports of the day that followed each other; null = none took longer than two minutes. */
  silence: z.object({ from: StoredMicros, until: StoredMicros }).nullable(),
  /**
   * When the last report before these arrived; 0 = there was none. If it is of the same day, the count began within the day:
   * after an upgrade or an import.
   */
  before: StoredMicros,
});
export type PresenceDay = z.infer<typeof PresenceDay>;

/**
 * The attributes by which the entry of an environment counts the reports of its newest day. They are absent in entries that
 * earlier releases wrote. A day without a report has zeros.
 */
export const COUNTED = {
  /** The day, as days since the epoch. It never goes back. */
  d: z.int().optional(),
  /** Reports by hour. */
  h: Hours.optional(),
  /** The first report of the day; 0 = none yet. */
  e: StoredMicros.optional(),
  /** The longest silence of the day in microseconds; {@link SHORTEST_SILENCE} if there was no longer one. */
  g: z.int().optional(),
  /** When it began; 0 = there was none. */
  b: StoredMicros.optional(),
  /** A report until this instant ends no longer silence: the last report plus the longest silence. */
  t: StoredMicros.optional(),
  /** The last report before the day. */
  l: StoredMicros.optional(),
};

/** An entry as far as the count of reports needs it. */
export const CountingEntry = z.object({ n: z.string(), r: StoredMicros, ...COUNTED });
export type CountingEntry = z.infer<typeof CountingEntry>;

/** All attributes of a count. */
type Count = Required<Pick<CountingEntry, keyof typeof COUNTED>>;

const dayOf = (at: Micros): number => Math.floor(at / DAY);
const startOf = (day: number): Micros => plus(EPOCH, day * DAY);
const hourOf = (at: Micros): number => Math.floor((at % DAY) / HOUR);

/** The path of the counter of an instant in an entry. */
export const counterOf = (at: Micros): string => `h[${hourOf(at)}]`;

/** The day of an instant as entries have it. */
export const dayNumber = dayOf;

/** Date of a day that an entry has, `2026-11-21`. */
const dateOfDay = (day: number): string => dateOf(startOf(day));

/**
 * Returns the instant at which a report counts, by the clock of the service. Functions have clocks of their own, and two reports
 * can be stored in the other order. So a report counts after the last one that was stored, and never in a day before the newest.
 */
export function arrivalAfter({ r, d = 0 }: Pick<CountingEntry, 'r' | 'd'>, now: Micros): Micros {
  return latestOf(now, plus(r, 1), startOf(d));
}

/** Returns the count of a day whose first report arrives. */
export const firstOfDay = ({ r }: Pick<CountingEntry, 'r'>, at: Micros): Count => ({
  d: dayOf(at),
  h: Array.from({ length: 24 }, (_, hour) => (hour === hourOf(at) ? 1 : 0)),
  e: at,
  g: SHORTEST_SILENCE,
  b: EPOCH,
  t: plus(at, SHORTEST_SILENCE),
  l: r,
});

/** Returns the count of a day in which no report has arrived yet. The next report is its first. */
export const emptyDay = ({ r }: Pick<CountingEntry, 'r'>, at: Micros): Count => ({
  ...firstOfDay({ r }, at),
  h: Array.from({ length: 24 }, () => 0),
  e: EPOCH,
  t: EPOCH,
});

/** Whether a report at an instant is the first of its day. */
export const isFirstOfDay = ({ d, e = EPOCH }: CountingEntry, at: Micros): boolean => e === 0 || d !== dayOf(at);

/** Returns the longest silence after a report that ended one. */
export const silenceUntil = ({ r }: CountingEntry, at: Micros): Pick<Count, 'g' | 'b' | 't'> => ({
  g: minus(at, r),
  b: r,
  t: plus(at, minus(at, r)),
});

/** Returns the counted day of an entry; null if no report arrived in it. */
export function countedDay({ r, d, h, e, g, b, l }: CountingEntry): { date: string; day: PresenceDay } | null {
  if (d === undefined || !h || !e) return null;
  const silence = b && g ? { from: b, until: plus(b, g) } : null;
  return { date: dateOfDay(d), day: { hours: h, first: e, last: r, silence, before: l ?? EPOCH } };
}

/** Number of reports of a day. */
export const reportsOf = ({ hours }: Pick<PresenceDay, 'hours'>): number =>
  hours.reduce((sum, count) => sum + count, 0);

/**
 * Says what is wrong with the presence of a day, for the verifier (rules/verification.md#presence).
 *
 * @returns null if nothing contradicts
 */
export function contradictionOf(date: string, { hours, first, last, silence, before }: PresenceDay): string | null {
  const reports = reportsOf({ hours });
  const hoursOf = (at: Micros) => hours[hourOf(at)] ?? 0;
  if (dateOf(first) !== date || dateOf(last) !== date) return 'its first or last report is of another day';
  if (first > last) return 'its first report is after its last one';
  if (before >= first) return 'the last report before the day is not before its first one';
  if (hours.some((count) => count < 0)) return 'it counts less than no report in an hour';
  if (hoursOf(first) === 0 || hoursOf(last) === 0) return 'it counts no report in the hour of its first or last one';
  if (reports < (first === last ? 1 : 2)) return 'it counts fewer reports than it names';
  if (hours.slice(0, hourOf(first)).some(Boolean) || hours.slice(hourOf(last) + 1).some(Boolean)) {
    return 'it counts reports before its first or after its last one';
  }
  return silence && contradictionOfSilence({ hours, first, last }, silence);
}

function contradictionOfSilence(
  { hours, first, last }: Pick<PresenceDay, 'hours' | 'first' | 'last'>,
  { from, until }: NonNullable<PresenceDay['silence']>,
): string | null {
  if (from < first || until > last) return 'its longest silence is not between its first and its last report';
  if (until - from <= SHORTEST_SILENCE) return 'its longest silence is not longer than two minutes';
  if (hours.slice(hourOf(from) + 1, hourOf(until)).some(Boolean)) return 'it counts reports in its longest silence';
  if (!hours[hourOf(from)] || !hours[hourOf(until)]) return 'no report begins or ends its longest silence';
  return null;
}
