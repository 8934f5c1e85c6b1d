import { firstIdAt, type OrganizationId, type PrincipalId, storedId, timeOfId } from '#shared/base/ids.ts';
import { type Duration, type Micros, minus } from '#shared/base/time.ts';
import { AuditRecord } from '#shared/organizations/records/audit.ts';
import { auditPartition } from '#shared/organizations/records/keys.ts';
import type { Member } from '#shared/organizations/records/members.ts';
import { monthsBetween } from '#shared/series/series-entries.ts';
import type { Table } from '#shared/table/table.ts';
import type { EndEntry } from './context.ts';

/**
 * An entry has the time at which its request arrived, and its transaction can be later by as long as a function runs. So entries of
 * before the instant can be missing in the restored table.
 */
export const MARGIN: Duration = 15 * 60_000_000;

interface FoundEntries {
  /** Oldest first. */
  entries: EndEntry[];
  /** Ids of entries that cannot be read. */
  unreadable: string[];
}

/** Reads the audit entries of an organization since shortly before an instant: one Query per month. */
export async function readEntriesSince(
  table: Table,
  org: OrganizationId,
  since: Micros,
  now: Micros,
): Promise<FoundEntries> {
  const from = minus(since, MARGIN);
  const ranges = monthsBetween(from, now).map((month) => ({ pk: auditPartition(org, month), from: firstIdAt(from) }));
  const found: FoundEntries = { entries: [], unreadable: [] };
  for (const range of ranges) {
    for (const item of await table.query(range)) {
      const { data } = AuditRecord.safeParse(item);
      if (data) found.entries.push(data);
      else found.unreadable.push(item.sk);
    }
  }
  return found;
}

/**
 * Reads who ever joined an organization by a sign-in rule: they are in no list of members. It reads the whole audit log, so only
 * organizations with sign-in rules are asked.
 */
export async function readJoined(table: Table, org: OrganizationId, now: Micros): Promise<Member[]> {
  const joined: Member[] = [];
  for (const month of monthsBetween(timeOfId(org), now)) {
    for (const item of await table.query({ pk: auditPartition(org, month) })) {
      const { data } = AuditRecord.safeParse(item);
      if (data?.kind === 'sign_in.joined' && data.subject.id !== null) {
        joined.push({ id: storedId<PrincipalId>(data.subject.id), name: data.subject.name });
      }
    }
  }
  return joined;
}
