import { csvText } from '#shared/base/texts/csv.ts';
import { STATES, type StateName, stateOfVerdict, worstOf } from '../../model/states.ts';
import { duration, fullTime, utcDay } from '../../model/time.ts';
import { count } from '../../model/words.ts';
import type { Period } from '../../parts/plot/model/timeline.ts';
import { type Interval, merged } from '../../parts/plot/model/timeline.ts';
import { time } from '../../routes/search-params.ts';
import type { ArtifactRun, EnvironmentHistory } from '../operations.ts';

const DAY = 86_400;
/** Days of a period that the address does not name. */
const DAYS = 28;

/** `2026-07-01`, for fields of a form. */
export const isoDay = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);

/** The days of a period in words. The end belongs to the day before if it is midnight. */
export const periodText = ({ from, to }: Period): string => {
  const last = to % DAY === 0 && to > from ? to - 1 : to;
  return isoDay(from) === isoDay(last) ? utcDay(from) : `${utcDay(from)} to ${utcDay(last)}`;
};

interface NamedPeriod {
  label: string;
  from: number;
  to: number;
}

/** Periods that auditors ask for. All begin and end at midnight UTC; one that lasts ends with the present day. */
export function namedPeriods(now: number): NamedPeriod[] {
  const date = new Date(now * 1000);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  const quarter = month - (month % 3);
  const start = (of: number): number => Date.UTC(year, of, 1) / 1000;
  const tomorrow = Date.UTC(year, month, date.getUTCDate() + 1) / 1000;
  return [
    { label: `Last ${DAYS} days`, from: tomorrow - DAYS * DAY, to: tomorrow },
    { label: 'This month', from: start(month), to: tomorrow },
    { label: 'Last month', from: start(month - 1), to: start(month) },
    { label: 'This quarter', from: start(quarter), to: tomorrow },
    { label: 'Last quarter', from: start(quarter - 3), to: start(quarter) },
    { label: 'This year', from: start(0), to: tomorrow },
  ];
}

/**
 * The period that an address names. Without days in the address it is the first of the named periods, so that the sentence, the
 * fields and the address agree. All days are those of UTC.
 */
export function periodOf({ from, to }: { from?: string | undefined; to?: string | undefined }, now: number): Period {
  const end = (to === undefined ? undefined : time(to)) ?? Math.floor(now / DAY) * DAY + DAY;
  const given = from === undefined ? undefined : time(from);
  return { from: given ?? end - DAYS * DAY, to: end };
}

/** What an auditor has to know of a period. */
export function historySentence({ environment, start_ts: from, end_ts: to, totals }: EnvironmentHistory): string {
  const days = periodText({ from, to });
  const when = days.includes(' to ') ? `from ${days}` : `on ${days}`;
  if (totals.artifacts === 0) return `Nothing ran in ${environment} ${when} (UTC).`;
  const ran = `${count(totals.artifacts, 'artifact')} ran in ${environment} ${when} (UTC)`;
  if (totals.always_compliant === totals.artifacts)
    return `${ran}: ${totals.artifacts === 1 ? 'it was' : 'all were'} compliant all the time.`;
  const parts = [
    totals.always_compliant > 0 && `${totals.always_compliant} compliant all the time`,
    totals.non_compliant > 0 && `${totals.non_compliant} not compliant for some time`,
    totals.unknown > 0 && `${totals.unknown} of unknown verdict for some time`,
  ].filter((part) => part !== false);
  const time =
    totals.non_compliant_seconds === 0
      ? ''
      : ` Something that was not compliant ran for ${duration(totals.non_compliant_seconds)} in total.`;
  return `${ran}: ${parts.join(', ')}.${time}`;
}

/** The verdicts of a row as intervals within the period. */
export const verdictIntervals = ({ verdicts }: ArtifactRun, period: Period): Interval[] =>
  verdicts.map(({ from, to, state }) => ({
    from: from ?? period.from,
    to: to ?? period.to,
    state: stateOfVerdict(state),
  }));

/** The worst verdict of everything that ran, over time. The intervals do not overlap. */
export function worstOverTime(runs: readonly ArtifactRun[], period: Period): Interval[] {
  const edges = runs
    .flatMap((run) => verdictIntervals(run, period))
    .flatMap(({ from, to, state }) => [
      { at: from, state, by: 1 },
      { at: to, state, by: -1 },
    ])
    .toSorted((a, b) => a.at - b.at);
  const running = new Map<StateName, number>();
  const intervals: Interval[] = [];
  for (const [n, { at, state, by }] of edges.entries()) {
    running.set(state, (running.get(state) ?? 0) + by);
    const to = edges[n + 1]?.at ?? at;
    const states = [...running].filter(([, number]) => number > 0).map(([name]) => name);
    if (to > at && states.length > 0) intervals.push({ from: at, to, state: states.reduce(worstOf) });
  }
  return merged(intervals);
}

/** The verdicts of a row in words: `compliant`, or each with its length. */
export function verdictsText(run: ArtifactRun, period: Period): string {
  const intervals = verdictIntervals(run, period);
  const word = ({ state }: Interval): string => STATES[state].word.toLowerCase();
  const [first] = intervals;
  if (first && intervals.length === 1) return `${word(first)} all the time`;
  return intervals.map((one) => `${word(one)} ${duration(one.to - one.from)}`).join(', then ');
}

const HEAD = [
  'artifact',
  'fingerprint',
  'from (UTC)',
  'to (UTC)',
  'last verdict',
  'verdicts over time',
  'instances',
  'flow',
  'trail',
  'commit',
  'accepted writes of the trail',
  'allowed by',
  'allowed at (UTC)',
  'allowed because',
  'address',
];

/** All rows for a spreadsheet. */
export function historyCsv(runs: readonly ArtifactRun[], period: Period): string {
  const at = (seconds: number | null): string | null =>
    seconds === null ? null : new Date(seconds * 1000).toISOString();
  return csvText([
    HEAD,
    ...runs.map((run) => [
      run.name,
      run.fingerprint,
      at(run.from) ?? 'before the period',
      at(run.to) ?? 'after the period',
      STATES[stateOfVerdict(run.state)].word,
      verdictIntervals(run, period)
        .map(({ from, to, state }) => `${fullTime(from, 'utc')} to ${fullTime(to, 'utc')}: ${STATES[state].word}`)
        .join('; '),
      run.instances,
      run.flow_name,
      run.trail_name,
      run.git_commit,
      run.trail_moments ?? null,
      run.allowed?.by ?? null,
      at(run.allowed?.at ?? null),
      run.allowed?.description ?? null,
      run.html_url,
    ]),
  ]);
}
