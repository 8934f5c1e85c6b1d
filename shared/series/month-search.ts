import { firstIdAt, timeOfId } from '#shared/base/ids.ts';
import { type Micros, minus } from '#shared/base/time.ts';
import type { PartitionKey } from '#shared/table/items.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { firstIdOfMonth, monthsBetween } from './series-entries.ts';

/**
 * A search for entries that lie in one partition per month, newest first, with a bounded number of reads
 * (rules/lists.md#bounded-pages).
 */
interface MonthSearch<T> {
  /** Partition of a month, `202611`. The sort keys of its entries begin with ids. */
  partition: (month: string) => PartitionKey;
  /** There are no older entries. */
  oldest: Micros;
  /** The newest instant of the search. */
  newest: Micros;
  /** The last entry of the page before, or another key before which the search begins. Absent: at the newest entry. */
  before?: string | undefined;
  /** Entries per page. */
  limit: number;
  /** Whether a filter may skip most of the entries that are read. */
  isSelective: boolean;
  /** Entries per month and round if {@link isSelective}. */
  filteredRead: number;
  /** Most entries per month and round. Absent: one entry more than the page shows. */
  mostRead?: number;
  /** How many months each round of a page reads in parallel. The first round reads few, because most pages end there. */
  rounds: readonly number[];
  /** Reads what belongs to the entries, in their order; undefined for an entry that does not match. */
  match: (items: readonly Item[]) => Promise<readonly (T | undefined)[]>;
}

interface MonthPage<T> {
  found: T[];
  /** The key behind which the next page begins; undefined if no older entry is left. */
  next: string | undefined;
}

/** Reads one page. It can be short or empty and still have a next one, because the number of reads is bounded. */
export async function searchMonths<T>(table: Table, search: MonthSearch<T>): Promise<MonthPage<T>> {
  const { partition, oldest, newest, limit, isSelective, filteredRead, rounds, match } = search;
  // One entry more tells whether there is a next page. Another one is the last entry of the page before, which is skipped.
  const wanted = isSelective ? Math.max(filteredRead, limit + 2) : limit + 2;
  const atOnce = Math.min(wanted, search.mostRead ?? wanted);
  const progress = new Progress<T>(limit, atOnce, search.before);
  const until = search.before === undefined ? newest : lastInstantBefore(search.before);
  let months = until < oldest ? [] : monthsBetween(oldest, until).reverse();
  for (const monthsAtOnce of rounds) {
    if (months.length === 0 || progress.isFull) break;
    const chunk = months.slice(0, monthsAtOnce);
    const range = { from: firstIdAt(oldest), ...(progress.before !== undefined && { to: progress.before }) };
    const parts = await Promise.all(
      chunk.map((month) => table.query({ pk: partition(month), newestFirst: true, limit: atOnce, ...range })),
    );
    const matches = await match(parts.flat());
    months = months.slice(progress.take(chunk, parts, matches));
  }
  const shown = progress.found.slice(0, limit);
  const next = progress.isFull ? shown.at(-1)?.key : months.length > 0 ? progress.before : undefined;
  return { found: shown.map(({ value }) => value), next };
}

/** The instant of an id, or the one before if the id is the first of its instant: nothing of a month is read again at its beginning. */
function lastInstantBefore(id: string): Micros {
  const at = timeOfId(id);
  return id === firstIdAt(at) ? minus(at, 1) : at;
}

/** The entries found so far, and the position of the search. */
class Progress<T> {
  readonly found: { key: string; value: T }[] = [];
  /** All entries with this key or a newer one were examined. */
  before: string | undefined;
  readonly #limit: number;
  readonly #atOnce: number;

  constructor(limit: number, atOnce: number, before: string | undefined) {
    this.#limit = limit;
    this.#atOnce = atOnce;
    this.before = before;
  }

  /** Whether one entry more than fits on the page was found. */
  get isFull(): boolean {
    return this.found.length > this.#limit;
  }

  /**
   * Adds the entries of a round that match.
   *
   * @param matches one for each item of the parts, in their order
   * @returns how many of the months are complete; the next month may have more entries
   */
  take(months: readonly string[], parts: readonly (readonly Item[])[], matches: readonly (T | undefined)[]): number {
    const left = matches[Symbol.iterator]();
    for (const [done, items] of parts.entries()) {
      for (const { sk: key } of items) {
        const { value } = left.next();
        if (key === this.before) continue;
        if (this.isFull) return done;
        if (value !== undefined) this.found.push({ key, value });
      }
      if (items.length === this.#atOnce) {
        this.before = items.at(-1)?.sk;
        return done;
      }
      const month = months[done];
      this.before = month === undefined ? this.before : firstIdOfMonth(month);
    }
    return months.length;
  }
}
