import { hash } from 'node:crypto';
import { commitment } from '#shared/base/digests.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { randomBytes } from '#shared/base/random.ts';
import { FIRST_PREVIOUS, linkEntry } from '#shared/evidence/rules/hash-chain.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { Table } from '#shared/table/table.ts';
import { auditText } from '../rules/audit-text.ts';
import { AuditRecord } from './audit.ts';
import { auditKey } from './keys.ts';

const DOMAIN = 'delivery-evidence/audit';

/** Returns the commitment to an audit entry; null if the entry has no salt yet. */
export const auditPledge = (record: AuditRecord): Uint8Array | null =>
  record.pledge ?? (record.salt ? commitment(record.salt, auditText(record)) : null);

/**
 * Returns the bytes of an audit entry that are a leaf of the organization's log
 * (rules/organizations.md#entry-of-the-log).
 *
 * @param record the entry as it is stored
 * @returns null if an earlier release wrote the entry and {@link saltAuditEntry} has not given it a salt
 */
export function auditEntry(org: OrganizationId, record: AuditRecord): Buffer | null {
  const pledge = auditPledge(record);
  if (!pledge) return null;
  return linkEntry(DOMAIN, FIRST_PREVIOUS, {
    org,
    subject: { entry: record.id },
    number: 0,
    kind: record.kind,
    at: record.at,
    commitments: { entry: Buffer.from(pledge).toString('hex') },
  });
}

/** Returns the SHA-256 of {@link auditEntry} in hex; null if the entry has no salt yet. */
export function auditHash(org: OrganizationId, record: AuditRecord): string | null {
  const entry = auditEntry(org, record);
  return entry && hash('sha256', entry);
}

/**
 * Gives a salt to an entry that an earlier release wrote without one. An entry gets a salt once: with another salt it
 * would be another leaf.
 *
 * @returns the entry with its salt, also if another writer gave it; null if the organization has no such entry
 */
export async function saltAuditEntry(
  table: Table,
  org: OrganizationId,
  id: string,
  random: (size: number) => Uint8Array = randomBytes,
): Promise<AuditRecord | null> {
  const key = auditKey(org, monthOf(id), id);
  await table.update(key, {
    UpdateExpression: 'SET #salt = :salt',
    ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(#salt) AND attribute_not_exists(#pledge)',
    ExpressionAttributeNames: { '#salt': 'salt', '#pledge': 'pledge' },
    ExpressionAttributeValues: { ':salt': random(32) },
  });
  const item = await table.get(key);
  return item ? AuditRecord.parse(item) : null;
}
