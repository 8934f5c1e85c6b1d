import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { dueSeriesKey, seriesPartition } from './keys.ts';
import { appendMilestones, noteMonth, removeMilestones } from './milestones.ts';
import {
  MILESTONE_EVERY,
  PageReader,
  readDirectory,
  type SeriesPage,
  type SeriesQuery,
  type Window,
} from './series.ts';
import { entriesIn, monthOf, newestMilestone, type SeriesEntry } from './series-entries.ts';

/**
 * Facets: series of the entries that have certain attributes, so that a filtered list has pages and totals, too
 * (design §4.2: one series per filter that an endpoint offers). A transaction adds its entry to the base series alone.
 * The relay spreads entries over the facets as they settle, 256 at a time, *before* it writes the milestone that covers
 * them. So a reader takes entries before the base's last milestone from the facet, and those after it from the base's
 * tail, filtered: complete at every moment, and none twice.
 */

/** Values that entries must have, by attribute: `{ f: <flow> }`. */
export type Facet = Readonly<Record<string, string>>;

/** The attributes, alone or together, by which the entries of a base series can be filtered. */
const FACETS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  attestations: [['f'], ['y'], ['f', 'y']],
  artifacts: [['f'], ['p']],
  builds: [['p']],
  'trails-with': [['f']],
};

/** A base series may be one of many of its kind, which then stands before a colon: `trails-with:<fingerprint>`. */
const filtersOf = (base: string): readonly (readonly string[])[] => FACETS[base.split(':')[0] ?? ''] ?? [];

/** `attestations?f=<flow>&y=custom%3Acoverage`: encoded, so that no value can be mistaken for another filter. */
export function facetSeries(base: string, facet: Facet): string {
  const names = Object.keys(facet).sort();
  if (!filtersOf(base).some((filter) => filter.join() === names.join())) {
    throw new Error(`Series ${base} has no facet by ${names.join(' and ')}`);
  }
  return `${base}?${names.map((name) => `${name}=${encodeURIComponent(facet[name] ?? '')}`).join('&')}`;
}

/** The series that a facet was made from; null for series that are no facets. */
export function baseOf(series: string): string | null {
  const end = series.indexOf('?');
  return end < 0 ? null : series.slice(0, end);
}

/** The facets that an entry of a base series belongs to. */
export function facetsOf(base: string, entry: Readonly<Record<string, unknown>>): string[] {
  return filtersOf(base).flatMap((filter) => {
    const values = filter.map((name) => [name, entry[name]] as const);
    const facet = Object.fromEntries(values.filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
    return Object.keys(facet).length === filter.length ? [facetSeries(base, facet)] : [];
  });
}

/** One page of a facet, newest first: as many round trips as a page of its base. */
export function facetPage(
  table: Table,
  org: OrganizationId,
  base: string,
  facet: Facet,
  query: SeriesQuery,
  now: Micros,
  window?: Window,
  every = MILESTONE_EVERY,
): Promise<SeriesPage> {
  const series = facetSeries(base, facet);
  const filters = Object.entries(facet);
  return new PageReader(table, org, series, every).read(query, now, window, {
    prepare: () => readDirectory(table, org, base, now),
    async read(own, { months, newest }) {
      const from = own.newest?.first;
      // The facet's own milestone may be the later one: it was appended between two reads.
      const border = newest && (from === undefined || newest.first > from) ? newest.first : from;
      const [spread, unspread] = await Promise.all([
        border === undefined ? [] : entriesIn(table, org, series, own.months, { from, before: border }),
        entriesIn(table, org, base, months, { from: border }),
      ]);
      return [...spread, ...unspread.filter((entry) => filters.every(([name, value]) => entry[name] === value))];
    },
  });
}

/** Months that were noted by this container, by {@link noteOnce}. */
export type NotedMonths = Set<string>;
const NOTED_LIMIT = 50_000;

/** Notes a month of a series unless this container did so before. */
export async function noteOnce(
  table: Table,
  org: OrganizationId,
  series: string,
  month: string,
  noted: NotedMonths,
): Promise<void> {
  const key = `${org}#${series}#${month}`;
  if (noted.has(key)) return;
  await noteMonth(table, org, series, month);
  if (noted.size >= NOTED_LIMIT) noted.clear();
  noted.add(key);
}

/** Notes that a series may have earned milestones, so that a sweep looks after it when no more traffic comes. */
export const noteDue = (table: Table, org: OrganizationId, series: string, now: Micros): Promise<void> =>
  table.put({ ...dueSeriesKey(org, series), v: 1, at: now });

/** Updates at a time while entries are spread. */
const WIDTH = 8;

/**
 * Appends the milestones that a series has earned. Of a base series the entries that a milestone will cover are first
 * spread over its facets, and those facets get their milestones after it. A facet counts only what lies before its
 * base's last milestone: what was spread beyond may still be incomplete.
 * @returns how many were appended to the series itself
 */
export async function settleSeries(
  table: Table,
  org: OrganizationId,
  series: string,
  now: Micros,
  noted: NotedMonths,
  every = MILESTONE_EVERY,
): Promise<number> {
  const base = baseOf(series);
  if (base !== null) {
    const border = await newestMilestone(table, org, base);
    return border ? appendMilestones(table, org, series, now, { every, before: border.first }) : 0;
  }
  if (filtersOf(series).length === 0) return appendMilestones(table, org, series, now, { every });
  const touched = new Set<string>();
  const appended = await appendMilestones(table, org, series, now, {
    every,
    settled: async (entries) => {
      for (const facet of await spread(table, org, series, entries, now, noted)) touched.add(facet);
    },
  });
  await inParallel(touched, WIDTH, async (facet) => {
    await settleSeries(table, org, facet, now, noted, every);
  });
  return appended;
}

/** Writes entries into their facets under the ids that they have in the base: doing it again changes nothing. */
async function spread(
  table: Table,
  org: OrganizationId,
  base: string,
  entries: readonly SeriesEntry[],
  now: Micros,
  noted: NotedMonths,
): Promise<Set<string>> {
  const items: Item[] = [];
  const months = new Map<string, { series: string; month: string }>();
  for (const { id, ...attributes } of entries) {
    const month = monthOf(id);
    for (const series of facetsOf(base, attributes)) {
      items.push({ pk: seriesPartition(org, series, month), sk: id, v: 1, ...attributes });
      months.set(`${series}#${month}`, { series, month });
    }
  }
  const touched = new Set([...months.values()].map(({ series }) => series));
  // Before the entries: a month that readers do not know of would hide them.
  await inParallel(months.values(), WIDTH, ({ series, month }) => noteOnce(table, org, series, month, noted));
  await inParallel(touched, WIDTH, (series) => noteDue(table, org, series, now));
  await table.putMany(items);
  return touched;
}

/**
 * An entry appeared behind the last milestone although entries had settled: the milestones after it, of the series and
 * of the entry's facets, are taken away and made again from there (design §4.2).
 * @returns how many milestones of the series were wrong
 */
export async function recountFrom(
  table: Table,
  org: OrganizationId,
  series: string,
  entry: SeriesEntry,
  now: Micros,
  noted: NotedMonths,
  every = MILESTONE_EVERY,
): Promise<number> {
  // The entry is in its facets before their milestones go, so that whoever makes them again counts it; and the base's
  // own go last, so that an interrupted recount is found to be needed still.
  const facets = await spread(table, org, series, [entry], now, noted);
  for (const facet of facets) await removeMilestones(table, org, facet, entry.id);
  const wrong = await removeMilestones(table, org, series, entry.id);
  await settleSeries(table, org, series, now, noted, every);
  return wrong;
}
