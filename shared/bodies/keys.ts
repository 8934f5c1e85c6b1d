import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { family } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

// Bodies and uploads

/** The key of a shared body. */
export const bodyPartition = (org: OrganizationId, digest: string): string => family(org, 'BODY', digest);
export const bodyKey = (org: OrganizationId, digest: string): Key => ({ pk: bodyPartition(org, digest), sk: 'BODY' });
/** The key of one use of a body. While a use exists, the body must not be deleted (rules/storage.md#uses-of-a-body). */
export const bodyUseKey = (org: OrganizationId, digest: string, user: string): Key => ({
  pk: bodyPartition(org, digest),
  sk: `USE#${user}`,
});
/** Objects that an erasure has still to remove from the bucket. */
export const erasurePartition = (org: OrganizationId): string => family(org, 'ERASURE');
export const erasureKey = (org: OrganizationId, prefix: string, sha256: string): Key => ({
  pk: erasurePartition(org),
  sk: `${prefix}#${sha256}`,
});
export const uploadKey = (org: OrganizationId, id: Id): Key => ({ pk: family(org, 'UPLOAD', id), sk: 'UPLOAD' });
