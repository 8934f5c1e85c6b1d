import type { Id } from '../ids.ts';
import type { Micros } from '../time.ts';
import { type Facet, facetPage } from './facets.ts';
import { type SeriesEntry, type SeriesPage, type SeriesQuery, seriesPage, type Window } from './series.ts';
import type { Table } from './table.ts';

/** One page of a series, narrowed by whatever was asked for: nothing, or attributes that the series has facets for. */
export const listingPage = (
  table: Table,
  org: Id,
  base: string,
  facet: Facet,
  query: SeriesQuery,
  now: Micros,
  window?: Window,
): Promise<SeriesPage> =>
  Object.keys(facet).length === 0
    ? seriesPage(table, org, base, query, now, window)
    : facetPage(table, org, base, facet, query, now, window);

/** More places than one answer could name. */
const MOST_ENTRIES = 10_000;

/** The entries of a series that is short by nature, newest first: the trails that one fingerprint was reported in. */
export async function listingEntries(
  table: Table,
  org: Id,
  base: string,
  facet: Facet,
  now: Micros,
): Promise<SeriesEntry[]> {
  return (await listingPage(table, org, base, facet, { page: 1, perPage: MOST_ENTRIES }, now)).entries;
}
