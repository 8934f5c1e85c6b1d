import { firstIdAt, type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { monthsBetween } from '#shared/series/series-entries.ts';
import { cursorIn, readCursorIn } from '#shared/table/cursors.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { AuditRecord } from './audit.ts';
import { auditPartition } from './keys.ts';

/** A filter of the audit log. An absent field matches every entry. */
export interface AuditFilter {
  /** Id or name of the actor. */
  actor?: string | undefined;
  /** A kind or its first word: `member` matches every change of members. */
  kind?: string | undefined;
  /** First and last instant in microseconds, both included. */
  from?: Micros | undefined;
  to?: Micros | undefined;
}

/** An entry that cannot be read. Every filter includes it, because its fields are unknown. */
export interface UnreadableEntry {
  id: Id;
  unreadable: unknown;
}

export interface AuditPage {
  entries: (AuditRecord | UnreadableEntry)[];
  /** Cursor of the next page; null if no older entry is left. */
  next: string | null;
}

/** Months that one round reads in parallel. */
const MONTHS_AT_ONCE = 6;
/** Maximum of rounds per page, one after the other. The next page continues behind them (rules/lists.md#bounded-pages). */
const MOST_ROUNDS = 5;
/** Entries per month and round if a filter may skip most of them. */
const FILTERED_READ = 200;

/** Identifies a list of the log by its filter. A cursor is valid only for the list that returned it. */
const listOf = (org: OrganizationId, { actor, kind, from, to }: AuditFilter): string[] => [
  org,
  'audit',
  JSON.stringify([actor, kind, from, to].map((part) => part ?? null)),
];

/** @returns the id of the last entry of the page before; null if the cursor does not belong to this list */
export const readAuditCursor = (org: OrganizationId, filter: AuditFilter, cursor: string): Id | null =>
  readCursorIn(listOf(org, filter), cursor);

/**
 * Reads one page of an organization's audit log, newest first (rules/organizations.md#reading-the-audit-log). The number of
 * reads is bounded, so a page can be short or empty and still have a next page.
 *
 * @param after result of {@link readAuditCursor}; undefined = the newest page
 * @param limit entries per page
 * @param now microseconds
 */
export async function auditPage(
  table: Table,
  org: OrganizationId,
  filter: AuditFilter,
  after: Id | undefined,
  limit: number,
  now: Micros,
): Promise<AuditPage> {
  // The id holds the creation time of the organization. There are no older entries.
  const oldest = Math.max(filter.from ?? 0, timeOfId(org));
  const to = filter.to === undefined || filter.to >= now ? undefined : firstIdAt(filter.to + 1000);
  const newest = after ?? to;
  const search = new Search(filter, limit, newest);
  const until = newest === undefined ? now : timeOfId(newest);
  let months = until < oldest ? [] : monthsBetween(oldest, until).reverse();
  for (let round = 0; round < MOST_ROUNDS && months.length > 0 && !search.isFull; round += 1) {
    const chunk = months.slice(0, MONTHS_AT_ONCE);
    const range = { from: firstIdAt(oldest), ...(search.before !== undefined && { to: search.before }) };
    const parts = await Promise.all(
      chunk.map((month) =>
        table.query({ pk: auditPartition(org, month), newestFirst: true, limit: search.atOnce, ...range }),
      ),
    );
    months = months.slice(search.take(chunk, parts));
  }
  const entries = search.found.slice(0, limit);
  const last = search.isFull ? entries.at(-1)?.id : months.length > 0 ? search.before : undefined;
  return { entries, next: last === undefined ? null : cursorIn(listOf(org, filter), last) };
}

/** The entries found so far, and the position of the search. */
class Search {
  readonly found: (AuditRecord | UnreadableEntry)[] = [];
  /** All entries with this id or a newer one were examined. */
  before: Id | undefined;
  readonly atOnce: number;
  readonly #filter: AuditFilter;
  readonly #limit: number;

  constructor(filter: AuditFilter, limit: number, before: Id | undefined) {
    this.#filter = filter;
    this.#limit = limit;
    this.before = before;
    const isSelective = filter.actor !== undefined || filter.kind !== undefined;
    // One entry more tells whether there is a next page. Another one is the last entry of the page before, which is skipped.
    this.atOnce = isSelective ? Math.max(FILTERED_READ, limit + 2) : limit + 2;
  }

  /** Whether one entry more than fits on the page was found. */
  get isFull(): boolean {
    return this.found.length > this.#limit;
  }

  /**
   * Adds the entries of a round that match the filter.
   *
   * @returns how many of the months are complete; the next month may have more entries
   */
  take(months: readonly string[], parts: readonly (readonly Item[])[]): number {
    for (const [done, items] of parts.entries()) {
      for (const item of items) {
        if (item.sk === this.before) continue;
        if (this.isFull) return done;
        const entry = this.#matching(item);
        if (entry) this.found.push(entry);
      }
      if (items.length === this.atOnce) {
        this.before = items.at(-1)?.sk;
        return done;
      }
      this.before = firstIdOf(months[done]) ?? this.before;
    }
    return months.length;
  }

  #matching(item: Item): AuditRecord | UnreadableEntry | undefined {
    const { data, error } = AuditRecord.safeParse(item);
    if (!data) return { id: item.sk, unreadable: error };
    const { actor, kind, from = 0, to = Number.POSITIVE_INFINITY } = this.#filter;
    if (actor !== undefined && data.actor.id !== actor && data.actor.name !== actor) return undefined;
    if (kind !== undefined && data.kind !== kind && !data.kind.startsWith(`${kind}.`)) return undefined;
    return data.at >= from && data.at <= to ? data : undefined;
  }
}

/** The smallest id of a month `202611`. */
const firstIdOf = (month: string | undefined): Id | undefined =>
  month === undefined
    ? undefined
    : firstIdAt(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4)) - 1, 1) * 1000);
