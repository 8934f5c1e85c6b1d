import type { FlowId } from '#shared/base/ids.ts';
import { storedId } from '#shared/base/ids.ts';
import { mergedPage } from '#shared/series/listings.ts';
import type { SeriesEntry, SeriesPage, SeriesQuery, Window } from '#shared/series/series.ts';
import { MOST_LOOKED_AT, type Past, refuseMoreThan } from './past.ts';

/** A list of trails or attestations: of one flow, or of all flows if there is none. */
export type ListOfFlow = (flow: FlowId | undefined, query: SeriesQuery, window: Window) => Promise<SeriesPage>;

/** With more flows than that the lists of all flows are read (rules/lists.md#merged-lists). */
const MOST_SERIES = 20;

/**
 * Reads the entries of lists that belong to flows and to a time. Each list costs three round trips, for each flow or for all of them.
 *
 * @param most entries to read at most: the oldest, or the newest
 * @returns the entries that were read, and the number of all; entries of other flows count if there are more than 20 flows
 */
export async function readEntriesOfFlows(
  lists: readonly ListOfFlow[],
  flows: readonly FlowId[],
  window: Window,
  { most, oldestFirst }: { most: number; oldestFirst: boolean },
): Promise<{ total: number; entries: SeriesEntry[] }> {
  if (flows.length === 0) return { total: 0, entries: [] };
  const sources = flows.length > MOST_SERIES ? [undefined] : flows;
  const { total, entries } = await mergedPage(
    sources.flatMap((flow) => lists.map((list) => (query: SeriesQuery) => list(flow, query, window))),
    { page: 1, perPage: most, oldestFirst },
  );
  const wanted = new Set(flows);
  const isWanted = ({ f }: SeriesEntry) => wanted.has(storedId(String(f)));
  return { total, entries: flows.length > MOST_SERIES ? entries.filter(isWanted) : entries };
}

/**
 * Reads the entries of lists that belong to flows and to the period of a dry run, the oldest first.
 *
 * @param what the name of the records
 * @throws ServiceError `invalid` if there are more than {@link MOST_LOOKED_AT}
 */
export async function readPastEntries(
  lists: readonly ListOfFlow[],
  flows: readonly FlowId[],
  { from, now: to }: Pick<Past, 'from' | 'now'>,
  what: string,
): Promise<SeriesEntry[]> {
  const options = { most: MOST_LOOKED_AT, oldestFirst: true };
  const { total, entries } = await readEntriesOfFlows(lists, flows, { from, to }, options);
  refuseMoreThan(MOST_LOOKED_AT, total, what);
  return entries;
}
