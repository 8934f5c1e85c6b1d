import { clockTime, dateText, duration, formatted } from '../../model/time.ts';
import { count } from '../../model/words.ts';
import type { PresenceDay } from '../operations.ts';

/** When reports of an environment came: the hours of its days, and what is to be said about them (rules/environments.md#presence). */

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** `before`: no report had ever come. `later`: the hour has not begun. */
type HourState = 'reported' | 'silent' | 'unknown' | 'before' | 'later';

export interface PresenceHour {
  /** From 0 to 23. */
  hour: number;
  state: HourState;
  reports: number;
}

type Day = Pick<
  PresenceDay,
  'date' | 'timestamp' | 'state' | 'running' | 'hours' | 'first_at' | 'last_at' | 'last_before_at' | 'counted_from'
> &
  Pick<PresenceDay, 'longest_silence' | 'reports'>;

/** The hours of a day. Hours in which reports may have come that nobody counted are unknown, never silent. @param now seconds since 1970 */
export function hoursOf(day: Day, now: number): PresenceHour[] {
  return Array.from({ length: 24 }, (_, hour) => {
    const reports = day.hours?.[hour] ?? 0;
    return { hour, reports, state: stateOfHour(day, { begin: day.timestamp + hour * HOUR, reports }, now) };
  });
}

function stateOfHour(day: Day, { begin, reports }: { begin: number; reports: number }, now: number): HourState {
  if (begin > now) return 'later';
  if (reports > 0) return 'reported';
  if (day.state === 'unknown' || (day.counted_from !== null && begin < day.counted_from)) return 'unknown';
  const isFirst = day.first_at !== null && day.last_before_at === null;
  return isFirst && begin < (day.first_at ?? 0) ? 'before' : 'silent';
}

interface Silence {
  from: number;
  /** Null if it lasts. */
  until: number | null;
}

/** The longest time without a report that began before a day or in it, and ended in it; the present one if it lasts. */
export function silenceOfDay(day: Day, lastReport: number | null): Silence | null {
  const found: Silence[] = [];
  if (day.longest_silence) found.push(day.longest_silence);
  // What came before the count began is not known.
  if (day.first_at !== null && day.last_before_at !== null && day.counted_from === null) {
    found.push({ from: day.last_before_at, until: day.first_at });
  }
  if (day.running && day.state !== 'unknown' && lastReport !== null) found.push({ from: lastReport, until: null });
  const end = (one: Silence) => one.until ?? Number.POSITIVE_INFINITY;
  return found.toSorted((one, other) => end(other) - other.from - (end(one) - one.from))[0] ?? null;
}

const lengthOf = ({ from, until }: Silence, now: number): number => Math.max(0, (until ?? now) - from);

/** The longest silence of the days, with the present one at its length until now. */
export function longestSilence(days: readonly Day[], lastReport: number | null, now: number): Silence | null {
  const found = days.flatMap((day) => {
    const open: Silence[] =
      day.running && day.state !== 'unknown' && lastReport !== null ? [{ from: lastReport, until: null }] : [];
    const ended = silenceOfDay({ ...day, running: false }, lastReport);
    return ended ? [...open, ended] : open;
  });
  return found.toSorted((one, other) => lengthOf(other, now) - lengthOf(one, now))[0] ?? null;
}

/** What is said above the hours: how many reports came, in how many hours none did, and what nobody knows. */
export function presenceSentence(days: readonly Day[], lastReport: number | null, now: number): string {
  const hours = days.flatMap((day) => hoursOf(day, now));
  const number = (state: HourState) => hours.filter((one) => one.state === state).length;
  const reports = hours.reduce((sum, one) => sum + one.reports, 0);
  const [silent, unknown] = [number('silent'), number('unknown')];
  const counted = silent + number('reported');
  if (counted === 0) return 'Nobody counted reports in these days.';
  const silence = longestSilence(days, lastReport, now);
  return [
    `${count(reports, 'report')} in ${count(counted, 'hour')}.`,
    silent === 0 ? 'Something came in each of them.' : `Nothing came in ${count(silent, 'hour')}.`,
    silence && `The longest silence ${silenceText(silence, now)}.`,
    unknown > 0 && `Of ${count(unknown, 'hour')} nobody knows.`,
  ]
    .filter((part) => typeof part === 'string')
    .join(' ');
}

const dayAndTime = (at: number): string =>
  `${formatted(at, 'utc', { day: 'numeric', month: 'short' })} ${clockTime(at, 'utc').slice(0, 5)}`;

function silenceText(silence: Silence, now: number): string {
  const long = duration(lengthOf(silence, now));
  if (silence.until === null) return `has lasted for ${long}, since ${dayAndTime(silence.from)} UTC`;
  return `took ${long}, from ${dayAndTime(silence.from)} to ${dayAndTime(silence.until)} UTC`;
}

const clock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** What an hour holds, for the pointer: `03:00 to 04:00: 12 reports`. */
export function hourText({ hour, state, reports }: PresenceHour): string {
  const words: Readonly<Record<HourState, string>> = {
    reported: count(reports, 'report'),
    silent: 'no report',
    unknown: 'nobody counted reports',
    before: 'before the first report',
    later: 'not yet',
  };
  return `${clock(hour)} to ${clock(hour + 1)}: ${words[state]}`;
}

/** What the strip of a day shows, in words: `21 Nov 2026: no report from 03:00 to 05:00; 22 hours with reports`. */
export function dayText(day: Day, now: number): string {
  const hours = hoursOf(day, now);
  const reported = hours.filter(({ state }) => state === 'reported').length;
  const holes = stretchesOf(hours, 'silent').map(([from, to]) => `${clock(from)} to ${clock(to)}`);
  const unknown = stretchesOf(hours, 'unknown').map(([from, to]) => `${clock(from)} to ${clock(to)}`);
  return `${dateText(day.date)}: ${[
    holes.length > 0 && `no report from ${holes.join(', ')}`,
    unknown.length > 0 && `not known from ${unknown.join(', ')}`,
    `${count(reported, 'hour')} with reports`,
  ]
    .filter((part) => part !== false)
    .join('; ')}`;
}

/** Hours of one state that follow each other. */
function stretchesOf(hours: readonly PresenceHour[], state: HourState): [from: number, to: number][] {
  const found: [number, number][] = [];
  for (const { hour } of hours.filter((one) => one.state === state)) {
    const last = found.at(-1);
    if (last?.[1] === hour) last[1] = hour + 1;
    else found.push([hour, hour + 1]);
  }
  return found;
}

interface Stretch {
  from: number;
  to: number;
}

/** The part of a stretch that lies in a day, in hours from its beginning; null if none does. */
export function partInDay({ from, to }: Stretch, { timestamp }: Pick<Day, 'timestamp'>): Stretch | null {
  const [begin, end] = [Math.max(from, timestamp), Math.min(to, timestamp + DAY)];
  return end > begin ? { from: (begin - timestamp) / HOUR, to: (end - timestamp) / HOUR } : null;
}
