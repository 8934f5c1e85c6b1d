import { firstIdAt, type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { EPOCH, latestOf, type Micros, plus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { searchMonths } from '#shared/series/month-search.ts';
import { cursorIn, readCursorIn } from '#shared/table/cursors.ts';
import type { Item } from '#shared/table/table.ts';
import { AuditRecord, auditHash } from './records/audit.ts';
import { auditPartition } from './records/keys.ts';

/** A filter of the audit log. An absent field matches every entry. */
interface AuditFilter {
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

/** An entry with the SHA-256, in hex, of the entry of the organization's log that stands for it. */
export type AuditEntry = AuditRecord & { hash: string };

interface AuditPage {
  entries: (AuditEntry | UnreadableEntry)[];
  /** Cursor of the next page; null if no older entry is left. */
  next: string | null;
}

/** Months of the rounds of a page. The next page continues behind them (rules/lists.md#bounded-pages). */
const ROUNDS = [1, 2, 3];
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
 * Lists the entries of an organization's audit log, newest first (rules/organizations.md#reading-the-audit-log). The number
 * of reads is bounded, so a page can be short or empty and still have a next page.
 *
 * @param after result of {@link readAuditCursor}; undefined = the newest page
 */
export async function listAuditEntries(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  filter: AuditFilter,
  { after, limit }: { after: Id | undefined; limit: number },
): Promise<AuditPage> {
  const now = clock.now();
  const to = filter.to === undefined || filter.to >= now ? undefined : firstIdAt(plus(filter.to, 1000));
  const { found, next } = await searchMonths(table, {
    partition: (month) => auditPartition(org, month),
    // The id holds the creation time of the organization. There are no older entries.
    oldest: latestOf(filter.from ?? EPOCH, timeOfId(org)),
    newest: now,
    before: after ?? to,
    limit,
    isSelective: filter.actor !== undefined || filter.kind !== undefined,
    filteredRead: FILTERED_READ,
    rounds: ROUNDS,
    match: async (items) => items.map((item) => matching(item, filter)),
  });
  const entries = found.map((entry) => ('unreadable' in entry ? entry : { ...entry, hash: auditHash(org, entry) }));
  return { entries, next: next === undefined ? null : cursorIn(listOf(org, filter), next) };
}

function matching(item: Item, filter: AuditFilter): AuditRecord | UnreadableEntry | undefined {
  const { data, error } = AuditRecord.safeParse(item);
  if (!data) return { id: item.sk, unreadable: error };
  const { actor, kind, from = 0, to = Number.POSITIVE_INFINITY } = filter;
  if (actor !== undefined && data.actor.id !== actor && data.actor.name !== actor) return undefined;
  if (kind !== undefined && data.kind !== kind && !data.kind.startsWith(`${kind}.`)) return undefined;
  return data.at >= from && data.at <= to ? data : undefined;
}
