import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import { type Facet, type FacetKinds, facetPage } from './facets.ts';
import { type SeriesEntry, type SeriesPage, type SeriesQuery, seriesPage, type Window } from './series.ts';

/** Reads one page of a series, optionally filtered by attributes for which the series has facets. */
export const listingPage = (
  table: Table,
  org: OrganizationId,
  kinds: FacetKinds,
  base: string,
  facet: Facet,
  query: SeriesQuery,
  now: Micros,
  window?: Window,
): Promise<SeriesPage> =>
  Object.keys(facet).length === 0
    ? seriesPage(table, org, base, query, now, window)
    : facetPage(table, org, kinds, base, facet, query, now, window);

/** For pages after this many entries it is checked first whether there are that many. */
const DEEP = 1_000;

/**
 * Reads one page of several lists as if they were one list. Each list is read up to the end of the page,
 * because a single list may contain the whole page. Takes three round trips, and three more for a late page
 * (rules/lists.md#merged-lists).
 */
export async function mergedPage(
  lists: readonly ((page: SeriesQuery) => Promise<SeriesPage>)[],
  query: SeriesQuery,
): Promise<SeriesPage> {
  const [only] = lists;
  if (lists.length === 1 && only) return only(query);
  const { page, perPage, oldestFirst = false } = query;
  const end = page * perPage;
  const start = end - perPage;
  if (start >= DEEP) {
    const counted = together(await Promise.all(lists.map((list) => list({ page: 1, perPage: 0 }))), oldestFirst);
    if (counted.total <= start) return counted;
  }
  const read = together(
    await Promise.all(lists.map((list) => list({ page: 1, perPage: end, oldestFirst }))),
    oldestFirst,
  );
  return { ...read, entries: read.entries.slice(start, end) };
}

const together = (pages: readonly SeriesPage[], oldestFirst: boolean): SeriesPage => ({
  total: pages.reduce((sum, { total }) => sum + total, 0),
  whole: pages.reduce((sum, { whole }) => sum + whole, 0),
  entries: pages.flatMap(({ entries }) => entries).sort((a, b) => (a.id < b.id === oldestFirst ? -1 : 1)),
});

/** More places than one answer could name. */
const MOST_ENTRIES = 10_000;

/** Reads the entries of a short series, newest first: the trails in which one fingerprint was reported. */
export async function listingEntries(
  table: Table,
  org: OrganizationId,
  kinds: FacetKinds,
  base: string,
  facet: Facet,
  now: Micros,
): Promise<SeriesEntry[]> {
  return (await listingPage(table, org, kinds, base, facet, { page: 1, perPage: MOST_ENTRIES }, now)).entries;
}
