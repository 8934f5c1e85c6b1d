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
 * Reads the entries of lists that belong to flows and to the period, the oldest first. Each list costs three round trips, for each
 * flow or for all of them.
 *
 * @param what the name of the records
 * @throws ServiceError `invalid` if there are more than {@link MOST_LOOKED_AT}; those of other flows count if there are more than 20
 *   flows
 */
export async function readPastEntries(
  lists: readonly ListOfFlow[],
  flows: readonly FlowId[],
  { from, now: to }: Pick<Past, 'from' | 'now'>,
  what: string,
): Promise<SeriesEntry[]> {
  if (flows.length === 0) return [];
  const sources = flows.length > MOST_SERIES ? [undefined] : flows;
  const { total, entries } = await mergedPage(
    sources.flatMap((flow) => lists.map((list) => (query: SeriesQuery) => list(flow, query, { from, to }))),
    { page: 1, perPage: MOST_LOOKED_AT, oldestFirst: true },
  );
  refuseMoreThan(MOST_LOOKED_AT, total, what);
  const wanted = new Set(flows);
  return flows.length > MOST_SERIES ? entries.filter(({ f }) => wanted.has(storedId(String(f)))) : entries;
}
