import type { OrganizationId } from '#shared/base/ids.ts';
import { entryHash, FIRST_PREVIOUS, linkEntry } from '#shared/base/proofs/hash-chain.ts';
import type { AuditRecord } from './audit.ts';

const DOMAIN = 'delivery-evidence/audit';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/**
 * Returns the bytes of an audit entry that are a leaf of the organization's log
 * (rules/organizations.md#entry-of-the-log).
 *
 * @param record the entry as it is stored
 */
export const auditEntry = (org: OrganizationId, { id, kind, at, pledges }: AuditRecord): Buffer =>
  linkEntry(DOMAIN, FIRST_PREVIOUS, {
    org,
    subject: { entry: id },
    number: 0,
    kind,
    at,
    commitments: { entry: hex(pledges.entry), values: hex(pledges.values) },
  });

/** Returns the SHA-256 of {@link auditEntry} in hex. */
export const auditHash = (org: OrganizationId, record: AuditRecord): string => hex(entryHash(auditEntry(org, record)));
