import { firstPreciseIdAt, type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { EPOCH, earliestOf, latestOf, type Micros, micros, plus } from '#shared/base/time.ts';
import { keyIn } from '#shared/table/keys.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { seriesPartition } from './keys.ts';
import {
  type Directory,
  entriesIn,
  type Milestone,
  milestoneBefore,
  milestoneOf,
  milestonesBetween,
  monthOf,
  readDirectory,
  type SeriesEntry,
} from './series-entries.ts';

export type { SeriesEntry } from './series-entries.ts';

/**
 * Time series: lists in the order of server-made times, with numbered pages and totals (rules/lists.md#time-series). An
 * entry is a small item. A directory has one milestone per 64 entries, which only the relay appends (`milestones.ts`).
 * Readers never write.
 */
export const MILESTONE_EVERY = 64;

/**
 * Returns the write that adds an entry.
 * @param id a precise id, new in each attempt of the transaction, so that windows are exact to the microsecond
 */
export const entryWrite = (
  org: OrganizationId,
  series: string,
  id: Id,
  attributes: Record<string, unknown>,
): Write => ({
  put: { ...keyIn(seriesPartition(org, series, monthOf(id)), id), v: 1, ...attributes },
});

export interface SeriesPage {
  total: number;
  /** Entries of the whole series, inside the window or not. */
  whole: number;
  entries: SeriesEntry[];
}

/** The request of a reader. */
export interface SeriesQuery {
  /** From 1. A page past the end has no entries. */
  page: number;
  perPage: number;
  /** Whether page 1 has the oldest entries, and each page begins with its oldest entry. Default: newest first. */
  oldestFirst?: boolean;
}

/** Only entries with times from `from` to `to`, both inclusive. */
export interface Window {
  from: Micros;
  to: Micros;
}

/** The source of the entries after the newest milestone. A facet uses the tail of its base. */
interface TailSource<P> {
  /** Read at the same time as the directory. */
  prepare(): Promise<P>;
  /** All entries from the newest milestone on, oldest first. */
  read(own: Directory, prepared: P): Promise<SeriesEntry[]>;
}

const ownTail = (table: Table, org: OrganizationId, series: string): TailSource<undefined> => ({
  prepare: async () => undefined,
  read: ({ months, newest }) => entriesIn(table, org, series, months, { from: newest?.first }),
});

/**
 * Reads one page in three round trips for any page and window; in four while the relay is far behind
 * (rules/lists.md#pages-of-a-time-series).
 * @param every entries per milestone
 */
export const seriesPage = (
  table: Table,
  org: OrganizationId,
  series: string,
  query: SeriesQuery,
  now: Micros,
  window?: Window,
  every = MILESTONE_EVERY,
): Promise<SeriesPage> =>
  new PageReader(table, org, series, every).read(query, now, window, ownTail(table, org, series));

/** A series as pages are cut out of it: settled entries by milestones, and the tail entry by entry. */
interface Shape {
  months: readonly string[];
  newest: Milestone | undefined;
  tail: readonly SeriesEntry[];
  total: number;
}

/** A place in a series: this many entries come before `id`, counted from the previous milestone. */
interface Edge {
  id: Id;
  milestone: Milestone | undefined;
}

/** Expected length of a tail in milestones. A longer tail costs one more round trip. */
const EXPECTED_TAIL = 14;

/** Milestones before the tail up to which later pages than the first are read with the tail. */
const PAGES_IN_TAIL = 2;

export class PageReader {
  readonly #table: Table;
  readonly #org: OrganizationId;
  readonly #series: string;
  readonly #every: number;

  constructor(table: Table, org: OrganizationId, series: string, every: number) {
    this.#table = table;
    this.#org = org;
    this.#series = series;
    this.#every = every;
  }

  async read<P>(
    query: SeriesQuery,
    now: Micros,
    window: Window | undefined,
    source: TailSource<P>,
  ): Promise<SeriesPage> {
    const [directory, prepared, edges] = await Promise.all([
      readDirectory(this.#table, this.#org, this.#series, now),
      source.prepare(),
      window && Promise.all([this.#edge(earliest(window), now), this.#edge(pastLatest(window), now)]),
    ]);
    const [start, end] = edges ?? [];
    // A milestone that appeared during the other reads is the newest one too.
    const last = latest(directory.newest, start?.milestone, end?.milestone);
    const isOpen = end === undefined || timeOfId(end.id) >= now;
    const newest = isOpen ? this.#startOfTail(query, directory) : last;
    const own: Directory = { ...directory, newest };
    const [tail, before, upTo, near] = await Promise.all([
      source.read(own, prepared),
      start && this.#settledRank(start, own),
      end && this.#settledRank(end, own),
      newest === last ? this.#milestonesNear(query, own, start, end) : [],
    ]);
    const settled = newest?.total ?? 0;
    const shape: Shape = { months: own.months, newest, tail, total: settled + tail.length };
    const rank = (edge: Edge | undefined, known: number | undefined): number | undefined =>
      edge && (known ?? settled + tail.filter(({ id }) => id < edge.id).length);
    return this.#cut(query, shape, rank(start, before) ?? 0, rank(end, upTo) ?? shape.total, near);
  }

  /**
   * Returns the milestone from which the tail is read if no window ends before it. For a page near the end it is one
   * before the page, so that the entries of the page are read with the tail.
   */
  #startOfTail(
    { page, perPage, oldestFirst = false }: SeriesQuery,
    { newest, recent }: Directory,
  ): Milestone | undefined {
    const end = page * perPage;
    if (!newest || oldestFirst || (page > 1 && end > PAGES_IN_TAIL * this.#every)) return newest;
    if (newest.total <= end) return undefined;
    return recent.findLast(({ total }) => total <= newest.total - end) ?? newest;
  }

  async #cut(
    { page, perPage, oldestFirst = false }: SeriesQuery,
    shape: Shape,
    low: number,
    high: number,
    near: readonly Milestone[],
  ): Promise<SeriesPage> {
    const total = Math.max(0, high - low);
    const { total: whole } = shape;
    const skipped = (page - 1) * perPage;
    const first = oldestFirst ? low + skipped : Math.max(low, high - skipped - perPage);
    const last = oldestFirst ? Math.min(high, first + perPage) : high - skipped;
    if (first >= last) return { total, whole, entries: [] };
    const settled = shape.newest?.total ?? 0;
    const fromTail = shape.tail.slice(Math.max(0, first - settled), Math.max(0, last - settled));
    const older = first < settled ? await this.#settledEntries(shape, first, Math.min(last, settled), near) : [];
    const entries = [...older, ...fromTail];
    return { total, whole, entries: oldestFirst ? entries : entries.reverse() };
  }

  /** Reads the settled entries from number `low` (from 0, oldest first) to before `high`. */
  async #settledEntries(
    { months, newest }: Shape,
    low: number,
    high: number,
    near: readonly Milestone[],
  ): Promise<SeriesEntry[]> {
    const { start, end } = await this.#around(low, high, newest, near);
    const entries = await entriesIn(this.#table, this.#org, this.#series, months, {
      from: start?.first,
      before: end?.first,
    });
    const skipped = start?.total ?? 0;
    return entries.slice(low - skipped, high - skipped);
  }

  /** Returns the milestones around the ranks from `low` to `high`. Mostly they are among those read for the page. */
  async #around(
    low: number,
    high: number,
    newest: Milestone | undefined,
    near: readonly Milestone[],
  ): Promise<{ start: Milestone | undefined; end: Milestone | undefined }> {
    const from = this.#floor(low);
    const to = Math.ceil(high / this.#every) * this.#every;
    const known = newest ? [...near, newest] : near;
    const find = (rank: number, among: readonly Milestone[]) => among.find(({ total }) => total === rank);
    const start = find(from, known);
    const end = find(to, known);
    if ((from === 0 || start) && end) return { start, end };
    const read = await milestonesBetween(this.#table, this.#org, this.#series, from, to);
    return {
      // During a recount an earlier milestone serves as well.
      start:
        from === 0
          ? undefined
          : (find(from, read) ?? (await milestoneBefore(this.#table, this.#org, this.#series, from))),
      end: find(to, read) ?? newest,
    };
  }

  async #edge(id: Id, now: Micros): Promise<Edge> {
    // All milestones come before an edge that is not past. The tail tells how many entries come before it.
    if (timeOfId(id) >= now) return { id, milestone: undefined };
    return { id, milestone: await milestoneOf(this.#table, this.#org, this.#series, id) };
  }

  /** Returns the number of settled entries before an edge; undefined if only the tail can tell. */
  async #settledRank({ id, milestone }: Edge, { months, newest }: Directory): Promise<number | undefined> {
    if (!newest || id >= newest.first) return undefined;
    const stretch = { from: milestone?.first, before: id };
    const entries = await entriesIn(this.#table, this.#org, this.#series, months, stretch);
    return (milestone?.total ?? 0) + entries.length;
  }

  /** Reads the milestones around the page, as far as they are known before the tail is counted. */
  async #milestonesNear(
    { page, perPage, oldestFirst = false }: SeriesQuery,
    { newest, recent }: Directory,
    start: Edge | undefined,
    end: Edge | undefined,
  ): Promise<readonly Milestone[]> {
    if (!newest) return [];
    const read = (from: number, to: number) => {
      const isKnown = from >= (recent[0]?.total ?? Number.POSITIVE_INFINITY) || recent[0]?.total === this.#every;
      return isKnown ? recent : milestonesBetween(this.#table, this.#org, this.#series, from, to);
    };
    const skipped = (page - 1) * perPage;
    if (oldestFirst) {
      const low = (start?.milestone?.total ?? 0) + skipped;
      const past = this.#floor(low + (start ? this.#every : 0) + perPage) + this.#every;
      const upTo = Math.min(newest.total, past);
      return low < upTo ? read(this.#floor(low), upTo) : [];
    }
    const inTail = !end || end.id >= newest.first;
    const least = inTail ? newest.total : (end.milestone?.total ?? 0);
    const most = least + (inTail ? EXPECTED_TAIL : 1) * this.#every;
    const from = Math.max(0, this.#floor(least - skipped - perPage));
    const to = Math.min(newest.total, this.#floor(most - skipped) + this.#every);
    return from < to ? read(from, to) : [];
  }

  #floor(rank: number): number {
    return Math.floor(rank / this.#every) * this.#every;
  }
}

/** Compares milestones by time. */
const latest = (...milestones: readonly (Milestone | undefined)[]): Milestone | undefined =>
  milestones.reduce((one, other) => (other && (!one || other.first > one.first) ? other : one), undefined);

/** Instants outside of these bounds are not exact as numbers, and no id has them. */
const inReach = (at: Micros): Micros => earliestOf(latestOf(EPOCH, at), micros(Number.MAX_SAFE_INTEGER - 1_000_000));

const earliest = ({ from }: Window): Id => firstPreciseIdAt(inReach(from));
const pastLatest = ({ to }: Window): Id => firstPreciseIdAt(plus(inReach(to), 1));
