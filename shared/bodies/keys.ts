import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { family } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

// Bodies and uploads

/** A body kept by content: where it lies. */
export const bodyPartition = (org: OrganizationId, digest: string): string => family(org, 'BODY', digest);
export const bodyKey = (org: OrganizationId, digest: string): Key => ({ pk: bodyPartition(org, digest), sk: 'BODY' });
/** One use of a body: while any is there, the body must stay (design §2.1). */
export const bodyUseKey = (org: OrganizationId, digest: string, user: string): Key => ({
  pk: bodyPartition(org, digest),
  sk: `USE#${user}`,
});
export const uploadKey = (org: OrganizationId, id: Id): Key => ({ pk: family(org, 'UPLOAD', id), sk: 'UPLOAD' });
