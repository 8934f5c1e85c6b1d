import { fromSeconds, type Micros, minus } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import { type History, indexOf, NEWEST, type Point } from './expressions.ts';
import { before, type Unit } from './instants.ts';
import type { IndexRange } from './interval.ts';

/**
 * An integer of at least this value is a time in seconds since the epoch; a smaller one is the number of a snapshot
 * (rules/snapshot-expressions.md#event-ranges).
 */
const LEAST_TIMESTAMP = 1e9;

const INTEGER = /^-?\d{1,15}$/;
const FRACTION = /^\d{1,15}\.\d+$/;
const SPAN = /^(\d{1,15})\s*([a-z]+)$/;

/** Spellings of units in spans. */
const UNITS: Readonly<Record<string, Unit>> = {
  m: 'minute',
  min: 'minute',
  mins: 'minute',
  minute: 'minute',
  minutes: 'minute',
  h: 'hour',
  hr: 'hour',
  hrs: 'hour',
  hour: 'hour',
  hours: 'hour',
  d: 'day',
  day: 'day',
  days: 'day',
  w: 'week',
  week: 'week',
  weeks: 'week',
  month: 'month',
  months: 'month',
};

/** Not every dialect of regular expressions has a flag for this. */
const inAnyCase = (words: string): string => words.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
const NUMBER = String.raw`-?0{0,14}[1-9][0-9]{0,14}|[0-9]{1,15}\.[0-9]+`;
const SPAN_BACK = `[0-9]{1,15} *(${inAnyCase(Object.keys(UNITS).join('|'))})`;
/** The form of a bound for the OpenAPI document. The parser below decides. */
export const BOUND_PATTERN = `^ *(${inAnyCase('now')}|${NUMBER}|${SPAN_BACK})? *$`;

const FORM = "Input should be a snapshot index, a Unix timestamp, a span such as '2days', or NOW";

/** The range of events that a request asks for. Absent and empty ends are open. */
export interface EventRange {
  /** The parameters `start` and `end`. */
  start?: string | undefined;
  end?: string | undefined;
  /** Seconds since the epoch: the parameters `start_ts` and `end_ts`. */
  startTs?: number | undefined;
  endTs?: number | undefined;
}

/**
 * Finds the snapshots whose events a request asks for: those within every bound that it gives, both ends included
 * (rules/snapshot-expressions.md#event-ranges). All events of a snapshot have its time, so a bound in time is a bound on
 * numbers too.
 * @throws ServiceError `invalid` with `errors["query.start"]` or `errors["query.end"]` for a bound that cannot be read
 */
export async function resolveEventRange(asked: EventRange, now: Micros, history: History): Promise<IndexRange> {
  const start = readBound('start', asked.start, now);
  const end = readBound('end', asked.end, now);
  const [firsts, lasts] = [
    [start, instantOf(asked.startTs)].filter((point) => point !== undefined),
    [end, instantOf(asked.endTs)].filter((point) => point !== undefined),
  ];
  const [froms, tos] = await Promise.all([
    Promise.all(firsts.map((point) => firstFrom(point, history))),
    Promise.all(lasts.map((point) => indexOf(point, history))),
  ]);
  return { from: Math.max(1, ...froms), to: Math.min(history.count, ...tos) };
}

export const intersection = (a: IndexRange, b: IndexRange): IndexRange => ({
  from: Math.max(a.from, b.from),
  to: Math.min(a.to, b.to),
});

const instantOf = (seconds: number | undefined): Point | undefined =>
  seconds === undefined ? undefined : { kind: 'instant', at: fromSeconds(seconds) };

/** The first snapshot at or after a point. */
async function firstFrom(point: Point, history: History): Promise<number> {
  return point.kind === 'instant' ? (await history.indexAt(minus(point.at, 1))) + 1 : indexOf(point, history);
}

function readBound(name: 'start' | 'end', given: string | undefined, now: Micros): Point | undefined {
  const text = given?.trim().toLowerCase() ?? '';
  if (text === '') return undefined;
  const point = readText(text, now);
  if (!point) throw invalidField(`query.${name}`, FORM, given);
  return point;
}

function readText(text: string, now: Micros): Point | undefined {
  if (text === 'now') return NEWEST;
  if (FRACTION.test(text)) return instantOf(Number(text));
  if (INTEGER.test(text)) return readInteger(Number(text));
  const [, count, word = ''] = SPAN.exec(text) ?? [];
  const unit = Object.hasOwn(UNITS, word) ? UNITS[word] : undefined;
  if (count === undefined || unit === undefined) return undefined;
  return { kind: 'instant', at: before(now, Number(count), unit) };
}

/** Positive numbers count from the first snapshot, negative ones from the newest. 0 names no snapshot. */
function readInteger(number: number): Point | undefined {
  if (number === 0) return undefined;
  if (number >= LEAST_TIMESTAMP) return instantOf(number);
  return number > 0 ? { kind: 'index', index: number } : { kind: 'behind', behind: -number - 1 };
}
