import { type Id, timeOfId } from '#shared/base/ids.ts';
import { EPOCH, earliestOf, latestOf, type Micros, micros, plus } from '#shared/base/time.ts';
import type { SeriesEntry, SeriesPage, SeriesQuery, Window } from './series.ts';

/** One page of a list that nobody can count: the part of a series that follows an entry. */
export interface Part {
  window: Window | undefined;
  /** The entry that the part follows; undefined for the beginning of the list. */
  after: Id | undefined;
  oldestFirst: boolean;
  /** Most entries to read. */
  most: number;
}

const MILLISECOND = 1000;
const EVERYTHING: Window = { from: EPOCH, to: micros(Number.MAX_SAFE_INTEGER) };

/**
 * Reads the entries that follow another entry, for lists whose filters have no series of their own
 * (rules/lists.md#scanned-lists). Costs as many round trips as a page of the series.
 * @param list reads a page of the series or of several merged series
 * @returns the entries, and whether the list ends with them
 */
export async function entriesAfter(
  list: (query: SeriesQuery, window: Window | undefined) => Promise<SeriesPage>,
  { window, after, oldestFirst, most }: Part,
): Promise<{ entries: SeriesEntry[]; isEnd: boolean }> {
  // The window includes the whole millisecond of the entry, because old ids do not sort by the microsecond within it.
  const { entries, total } = await list(
    { page: 1, perPage: most, oldestFirst },
    after === undefined ? window : narrowed(window ?? EVERYTHING, timeOfId(after), oldestFirst),
  );
  const isEnd = total <= entries.length;
  const isNext = ({ id }: SeriesEntry) => after === undefined || (oldestFirst ? id > after : id < after);
  return { entries: entries.filter(isNext), isEnd };
}

const narrowed = ({ from, to }: Window, at: Micros, oldestFirst: boolean): Window =>
  oldestFirst ? { from: latestOf(from, at), to } : { from, to: earliestOf(to, plus(at, MILLISECOND - 1)) };
