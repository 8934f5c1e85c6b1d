import { firstIdAt, type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { monthsBetween } from '#shared/series/series-entries.ts';
import { cursorIn, readCursorIn } from '#shared/table/cursors.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { AuditRecord } from './audit.ts';
import { auditPartition } from './keys.ts';

/** Which entries of the audit log are asked for; everything that is left out matches all. */
export interface AuditFilter {
  /** Id or name of whoever made the change. */
  actor?: string | undefined;
  /** A kind, or its first word: `member` is every kind of change to members. */
  kind?: string | undefined;
  /** Microseconds, included. */
  from?: Micros | undefined;
  to?: Micros | undefined;
}

/** An entry that could not be read: shown in its place whatever is asked for, since nobody can tell. */
export interface UnreadableEntry {
  id: Id;
  unreadable: unknown;
}

export interface AuditPage {
  entries: (AuditRecord | UnreadableEntry)[];
  /** Where the next page begins; null where nothing older is left. */
  next: string | null;
}

/** Months of which the newest entries are read at the same time. */
const MONTHS_AT_ONCE = 6;
/** Reads one after the other, at most: what they did not reach is the next page's (design §5: 5 round trips). */
const MOST_ROUNDS = 5;
/** Entries of a month looked at per read while a filter may leave most of them out. */
const LOOKED_AT = 200;

/** What tells a list of the log from others: a cursor goes on with the list that it came from. */
const listOf = (org: OrganizationId, { actor, kind, from, to }: AuditFilter): string[] => [
  org,
  'audit',
  JSON.stringify([actor, kind, from, to].map((part) => part ?? null)),
];

/** @returns the entry that a page begins behind; null for anything that was not given for this very list */
export const readAuditCursor = (org: OrganizationId, filter: AuditFilter, cursor: string): Id | null =>
  readCursorIn(listOf(org, filter), cursor);

/**
 * One page of an organization's audit log, newest first. Reading is bounded: a page may hold fewer entries than asked
 * for, even none, and yet have one after it.
 * @param after what {@link readAuditCursor} gave; the newest page when absent
 */
export async function auditPage(
  table: Table,
  org: OrganizationId,
  filter: AuditFilter,
  after: Id | undefined,
  limit: number,
  now: Micros,
): Promise<AuditPage> {
  // An organization's id is as old as the organization: nothing was changed in it before.
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

/** What was found so far, and how far it was looked. */
class Search {
  readonly found: (AuditRecord | UnreadableEntry)[] = [];
  /** Everything from this id on was looked at. */
  before: Id | undefined;
  readonly atOnce: number;
  readonly #filter: AuditFilter;
  readonly #limit: number;

  constructor(filter: AuditFilter, limit: number, before: Id | undefined) {
    this.#filter = filter;
    this.#limit = limit;
    this.before = before;
    const leavesOut = filter.actor !== undefined || filter.kind !== undefined;
    // One more than the page says whether there is another; one more is the entry that the page begins behind.
    this.atOnce = leavesOut ? Math.max(LOOKED_AT, limit + 2) : limit + 2;
  }

  /** One more than the page was found. */
  get isFull(): boolean {
    return this.found.length > this.#limit;
  }

  /** @returns how many of the months are done with; of the next one there may be more */
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
