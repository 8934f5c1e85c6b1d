import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { encodeText } from '#shared/base/well-formed.ts';
import { keyIn } from '#shared/table/keys.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { dueSeriesKey, seriesPartition } from './keys.ts';
import { always, appendMilestones, recordMonth, removeMilestones, stretchAround } from './milestones.ts';
import { MILESTONE_EVERY, PageReader, type SeriesPage, type SeriesQuery, type Window } from './series.ts';
import {
  entriesIn,
  monthOf,
  newestMilestone,
  readDirectory,
  readRecordedMonths,
  type SeriesEntry,
} from './series-entries.ts';

/**
 * Facets: series of the entries with certain attributes, so that filtered lists have pages and totals too
 * (rules/lists.md#facets). A transaction adds its entry to the base series only. The relay copies settled entries to
 * the facets, 64 at a time, before it writes the milestone that covers them. A reader takes entries before the last
 * milestone of the base from the facet. It takes later entries from the tail of the base and filters them. So each
 * entry is found exactly once at any time.
 */

/** Required values of entries by attribute: `{ f: <flow> }`. */
export type Facet = Readonly<Record<string, string>>;

/**
 * The attributes, single or combined, by which the entries of base series can be filtered, by the name of the series. If a
 * base series is one of many of its kind, the name of the kind stands before a colon: `trails-with:<fingerprint>`. The
 * domains state their facets.
 */
export type FacetKinds = Readonly<Record<string, readonly (readonly string[])[]>>;

const filtersOf = (kinds: FacetKinds, base: string): readonly (readonly string[])[] =>
  kinds[base.split(':')[0] ?? ''] ?? [];

/**
 * Returns the name of a facet: `attestations?f=<flow>&y=custom%3Acoverage`. Values are encoded, so that no value looks
 * like another filter.
 */
export function facetSeries(kinds: FacetKinds, base: string, facet: Facet): string {
  const names = Object.keys(facet).sort();
  if (!filtersOf(kinds, base).some((filter) => filter.join() === names.join())) {
    throw new Error(`Series ${base} has no facet by ${names.join(' and ')}`);
  }
  return `${base}?${names.map((name) => `${name}=${encodeText(facet[name] ?? '')}`).join('&')}`;
}

/** Returns the base series of a facet; null for other series. */
export function baseOf(series: string): string | null {
  const end = series.indexOf('?');
  return end < 0 ? null : series.slice(0, end);
}

/** Returns the facets of an entry of a base series. */
export function facetsOf(kinds: FacetKinds, base: string, entry: Readonly<Record<string, unknown>>): string[] {
  return filtersOf(kinds, base).flatMap((filter) => {
    const values = filter.map((name) => [name, entry[name]] as const);
    const facet = Object.fromEntries(values.filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
    return Object.keys(facet).length === filter.length ? [facetSeries(kinds, base, facet)] : [];
  });
}

/** Reads one page of a facet, newest first, in as many round trips as a page of its base. */
export function facetPage(
  table: Table,
  org: OrganizationId,
  kinds: FacetKinds,
  base: string,
  facet: Facet,
  query: SeriesQuery,
  now: Micros,
  window?: Window,
  every = MILESTONE_EVERY,
): Promise<SeriesPage> {
  const series = facetSeries(kinds, base, facet);
  const filters = Object.entries(facet);
  return new PageReader(table, org, series, every).read(query, now, window, {
    prepare: () => readDirectory(table, org, base, now),
    async read(own, { months, newest }) {
      const from = own.newest?.first;
      // The facet's own milestone can be the later one if it was appended between the two reads.
      const border = newest && (from === undefined || newest.first > from) ? newest.first : from;
      const [spread, unspread] = await Promise.all([
        border === undefined ? [] : entriesIn(table, org, series, own.months, { from, before: border }),
        entriesIn(table, org, base, months, { from: border }),
      ]);
      return [...spread, ...unspread.filter((entry) => filters.every(([name, value]) => entry[name] === value))];
    },
  });
}

/** Months that this container recorded with {@link recordMonthOnce}. */
export type RecordedMonths = Set<string>;
const RECORDED_LIMIT = 50_000;

/** Records a month of a series, unless this container has already recorded it. */
export async function recordMonthOnce(
  table: Table,
  org: OrganizationId,
  series: string,
  month: string,
  recorded: RecordedMonths,
): Promise<void> {
  const key = `${org}#${series}#${month}`;
  if (recorded.has(key)) return;
  await recordMonth(table, org, series, month);
  if (recorded.size >= RECORDED_LIMIT) recorded.clear();
  recorded.add(key);
}

/**
 * Records months of series that are not recorded, because the stream did not bring their entries. Costs one batch of reads
 * if nothing is missing.
 */
export async function recordMissingMonths(
  table: Table,
  org: OrganizationId,
  series: readonly string[],
  months: ReadonlySet<string>,
  now: Micros,
  recorded: RecordedMonths,
): Promise<void> {
  if (months.size === 0) return;
  const known = await readRecordedMonths(table, org, series);
  await inParallel(series, WIDTH, async (one) => {
    const missing = [...months].filter((month) => !known.get(one)?.has(month));
    for (const month of missing) await recordMonthOnce(table, org, one, month, recorded);
    if (missing.length > 0) await listDueSeries(table, org, one, now);
  });
}

/** Records that a series may have complete milestones, so that a sweep appends them if there is no further traffic. */
export const listDueSeries = (table: Table, org: OrganizationId, series: string, now: Micros): Promise<void> =>
  table.put({ ...dueSeriesKey(org, series), v: 1, at: now });

/** Updates at the same time. */
const WIDTH = 8;

interface SettleOptions {
  /** Entries per milestone. */
  every?: number;
  /** Called after each milestone. If it returns false, the call ends, and a later call continues. */
  isTime?: () => boolean;
}

/**
 * Appends the complete milestones of a series. For a base series, first copies the entries that a milestone will cover
 * to its facets; those facets get their milestones afterwards. A facet is counted only up to the last milestone of its
 * base, because later copies can be incomplete (rules/lists.md#spreading). Facets for which no time is left are listed for
 * the sweeps.
 * @returns how many milestones were appended to the series itself, and whether the time sufficed
 */
export async function settleSeries(
  table: Table,
  org: OrganizationId,
  kinds: FacetKinds,
  series: string,
  now: Micros,
  recorded: RecordedMonths,
  { every = MILESTONE_EVERY, isTime: hasTime = always }: SettleOptions = {},
): Promise<{ appended: number; isDone: boolean }> {
  let isDone = true;
  const isTime = () => {
    if (!hasTime()) isDone = false;
    return isDone;
  };
  const base = baseOf(series);
  if (base !== null) {
    const border = await newestMilestone(table, org, base);
    const options = { every, isTime, before: border?.first };
    const appended = border ? await appendMilestones(table, org, series, now, options) : 0;
    return { appended, isDone };
  }
  const touched = new Set<string>();
  const appended = await appendMilestones(table, org, series, now, {
    every,
    isTime,
    settled: async (entries) => {
      for (const facet of await spread(table, org, kinds, series, entries, now, recorded)) touched.add(facet);
    },
  });
  await inParallel(touched, WIDTH, async (facet) => {
    if (isTime()) await settleSeries(table, org, kinds, facet, now, recorded, { every, isTime });
  });
  return { appended, isDone };
}

/** Copies entries to their facets under the same ids. Repeating it changes nothing. */
async function spread(
  table: Table,
  org: OrganizationId,
  kinds: FacetKinds,
  base: string,
  entries: readonly SeriesEntry[],
  now: Micros,
  recorded: RecordedMonths,
): Promise<Set<string>> {
  const items: Item[] = [];
  const months = new Map<string, { series: string; month: string }>();
  for (const { id, ...attributes } of entries) {
    const month = monthOf(id);
    for (const series of facetsOf(kinds, base, attributes)) {
      items.push({ ...keyIn(seriesPartition(org, series, month), id), v: 1, ...attributes });
      months.set(`${series}#${month}`, { series, month });
    }
  }
  const touched = new Set([...months.values()].map(({ series }) => series));
  // The month is recorded before the entries, because readers do not look into unknown months.
  await inParallel(months.values(), WIDTH, ({ series, month }) => recordMonthOnce(table, org, series, month, recorded));
  await inParallel(touched, WIDTH, (series) => listDueSeries(table, org, series, now));
  await table.putMany(items);
  return touched;
}

/**
 * Recounts after entries appeared before the last milestone although the entries there had settled. Removes the later
 * milestones of the series and of the facets of the entries, so that they are made again (rules/lists.md#late-entries).
 * Removes nothing if the milestones around the first entry were counted again already.
 * @returns the work for which the time did not suffice: `recount` if wrong milestones are left and the call has to be
 *   repeated, `settle` if milestones are missing; null if no work is left
 */
export async function recountFrom(
  table: Table,
  org: OrganizationId,
  kinds: FacetKinds,
  series: string,
  entries: readonly [SeriesEntry, ...SeriesEntry[]],
  now: Micros,
  recorded: RecordedMonths,
  { every = MILESTONE_EVERY, isTime = always }: SettleOptions = {},
): Promise<'recount' | 'settle' | null> {
  // A list with an entry still has it after sorting.
  const [first] = entries.toSorted((a, b) => (a.id < b.id ? -1 : 1)) as [SeriesEntry];
  const stretch = await stretchAround(table, org, series, first.id, now);
  if (stretch && !stretch.sound) {
    // The entries are copied to their facets before milestones are removed, so that a new count includes them. The
    // milestones of the base are removed last, and the first of them last of all, so that a repeated call finds what an
    // interrupted one left.
    const facets = await spread(table, org, kinds, series, entries, now, recorded);
    for (const one of [...facets, series]) {
      if (!(await removeMilestones(table, org, one, first.id, isTime))) return 'recount';
    }
  }
  const { isDone } = await settleSeries(table, org, kinds, series, now, recorded, { every, isTime });
  return isDone ? null : 'settle';
}
