import type { Id } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { entriesAfter, type Part } from '#shared/series/scan.ts';
import { readTrailSummaries, type TrailSummary } from './records/trails.ts';
import type { StatusWord } from './rules/verdict.ts';
import { type ListedTrail, listedTrail, selectEntries, type TrailFilters } from './select-trails.ts';

/** Filters for which no series exists: each trail has to be looked at. */
export interface ScanFilters {
  /** Part of the name, in upper or lower case. */
  name?: string | undefined;
  /** One of these words; empty for any word. */
  words: readonly StatusWord[];
}

interface FoundTrails {
  summaries: TrailSummary<ListedTrail>[];
  /** The entry that the next page follows; null on the last page. */
  next: Id | null;
}

/** Most trails that one page looks at if it reads their heads. */
const MOST_HEADS = 200;
/** Most trails that one page looks at if it compares only names, which the entries of the list hold. */
const MOST_NAMES = 2000;

/**
 * Finds the trails that follow an entry and match all filters (rules/trails.md#trails-by-state-and-name). A page looks at a
 * limited number of trails, so it can be short or empty and still have a next page.
 * @throws ServiceError as `selectTrails`
 */
export async function findTrails(
  stores: Stores,
  org: Organization,
  filters: TrailFilters,
  { name = '', words }: ScanFilters,
  { perPage, ...part }: Omit<Part, 'most'> & { perPage: number },
): Promise<FoundTrails> {
  const { table, objects } = stores;
  const most = words.length > 0 ? MOST_HEADS : MOST_NAMES;
  const { entries, isEnd } = await entriesAfter((query, window) => selectEntries(stores, org, filters, query, window), {
    ...part,
    most,
  });
  const text = name.toLowerCase();
  const named = entries.map(listedTrail).filter(({ trail }) => trail.toLowerCase().includes(text));
  // Without a filter by state every named trail is on the page, so no more than the page are read.
  const candidates = words.length > 0 ? named : named.slice(0, perPage);
  const summaries = await readTrailSummaries(table, objects, org.id, candidates, {
    isWanted: ({ word }) => words.length === 0 || words.includes(word),
    limit: perPage,
  });
  const isFull = summaries.length === perPage;
  const lookedAt = isFull ? summaries.at(-1)?.place.entry : entries.at(-1)?.id;
  const hasRest = !isEnd || (isFull && lookedAt !== entries.at(-1)?.id);
  return { summaries, next: hasRest && lookedAt !== undefined ? lookedAt : null };
}
