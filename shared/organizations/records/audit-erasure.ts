import { type Id, isId, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Erasure, ErasurePlan } from '#shared/bodies/erasure.ts';
import { monthOf, monthsBetween } from '#shared/series/series-entries.ts';
import { change, exists } from '#shared/table/expressions.ts';
import type { Table } from '#shared/table/table.ts';
import { AuditRecord, auditHash } from './audit.ts';
import { auditKey, auditPartition } from './keys.ts';

/**
 * Plans the erasure of the values in an audit entry: `before` and `after` (rules/erasure.md#erased-audit-entry). Their
 * commitment stays, so the entry of the log stays the same.
 *
 * @returns null if the organization has no such entry
 */
export async function planAuditEntry(
  table: Table,
  org: OrganizationId,
  id: string,
  erased: Erasure,
): Promise<ErasurePlan | null> {
  const key = isId(id) ? auditKey(org, monthOf(id), id) : null;
  const item = key && (await table.get(key));
  if (!item) return null;
  const record = AuditRecord.parse(item);
  const what = `audit entry ${id}`;
  if (record.erased) return { what, writes: [], objects: [], removed: {} };
  return {
    what,
    objects: [],
    removed: { [auditHash(org, record)]: ['values'] },
    writes: [
      {
        update: key,
        ...change({ set: { erased, before: null, after: null }, remove: ['salts.values'] }, exists('salts.values')),
        refused: again,
      },
    ],
  };
}

/**
 * Finds the audit entries about a subject that have a value of this field and are not erased.
 *
 * @param subject id of the subject, which was made before the entries
 */
export async function auditEntriesWith(
  table: Table,
  org: OrganizationId,
  subject: Id,
  field: string,
  now: Micros,
): Promise<Id[]> {
  const found: Id[] = [];
  for (const month of monthsBetween(timeOfId(subject), now)) {
    for (const item of await table.query({ pk: auditPartition(org, month) })) {
      const record = AuditRecord.safeParse(item).data;
      if (record?.subject.id !== subject || record.erased) continue;
      if (record.before?.[field] !== undefined || record.after?.[field] !== undefined) found.push(record.id);
    }
  }
  return found;
}
