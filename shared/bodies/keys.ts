import type { Id, OrganizationId } from '#shared/base/ids.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { family, keyIn } from '#shared/table/keys.ts';

// Bodies and uploads

/** The key of a shared body. */
export const bodyPartition = (org: OrganizationId, digest: string): PartitionKey => family(org, 'BODY', digest);
export const bodyKey = (org: OrganizationId, digest: string): Key => keyIn(bodyPartition(org, digest), 'BODY');
/** The key of one use of a body. While a use exists, the body must not be deleted (rules/storage.md#uses-of-a-body). */
export const bodyUseKey = (org: OrganizationId, digest: string, user: string): Key =>
  keyIn(bodyPartition(org, digest), `USE#${user}`);
/** Objects that an erasure has still to remove from the bucket. */
export const erasurePartition = (org: OrganizationId): PartitionKey => family(org, 'ERASURE');
export const erasureKey = (org: OrganizationId, prefix: string, sha256: string): Key =>
  keyIn(erasurePartition(org), `${prefix}#${sha256}`);
export const uploadKey = (org: OrganizationId, id: Id): Key => keyIn(family(org, 'UPLOAD', id), 'UPLOAD');
