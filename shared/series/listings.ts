import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import { type Facet, facetPage } from './facets.ts';
import { type SeriesEntry, type SeriesPage, type SeriesQuery, seriesPage, type Window } from './series.ts';

/** One page of a series, narrowed by whatever was asked for: nothing, or attributes that the series has facets for. */
export const listingPage = (
  table: Table,
  org: OrganizationId,
  base: string,
  facet: Facet,
  query: SeriesQuery,
  now: Micros,
  window?: Window,
): Promise<SeriesPage> =>
  Object.keys(facet).length === 0
    ? seriesPage(table, org, base, query, now, window)
    : facetPage(table, org, base, facet, query, now, window);

/** Entries before a page from which on it is worth asking first whether there are so many. */
const DEEP = 1_000;

/**
 * One page of several lists as if they were one, newest first. Each list gives its newest entries up to the page's end,
 * since any of them might hold all of it; three round trips, three more for a deep page.
 */
export async function mergedPage(
  lists: readonly ((page: SeriesQuery) => Promise<SeriesPage>)[],
  { page, perPage }: SeriesQuery,
): Promise<SeriesPage> {
  const [only] = lists;
  if (lists.length === 1 && only) return only({ page, perPage });
  const end = page * perPage;
  const start = end - perPage;
  if (start >= DEEP) {
    const counted = together(await Promise.all(lists.map((list) => list({ page: 1, perPage: 0 }))));
    if (counted.total <= start) return counted;
  }
  const read = together(await Promise.all(lists.map((list) => list({ page: 1, perPage: end }))));
  return { ...read, entries: read.entries.slice(start, end) };
}

const together = (pages: readonly SeriesPage[]): SeriesPage => ({
  total: pages.reduce((sum, { total }) => sum + total, 0),
  whole: pages.reduce((sum, { whole }) => sum + whole, 0),
  entries: pages.flatMap(({ entries }) => entries).sort((a, b) => (a.id < b.id ? 1 : -1)),
});

/** More places than one answer could name. */
const MOST_ENTRIES = 10_000;

/** The entries of a series that is short by nature, newest first: the trails that one fingerprint was reported in. */
export async function listingEntries(
  table: Table,
  org: OrganizationId,
  base: string,
  facet: Facet,
  now: Micros,
): Promise<SeriesEntry[]> {
  return (await listingPage(table, org, base, facet, { page: 1, perPage: MOST_ENTRIES }, now)).entries;
}
