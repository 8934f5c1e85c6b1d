import type { Id, OrganizationId } from '#shared/base/ids.ts';

/** The keys of the evidence bucket, made from ids and digests only (rules/storage.md#bucket). */

/** The key of a presigned upload. */
export const uploadPath = (org: OrganizationId, upload: Id): string => `uploads/${org}/${upload}`;

/** The key of a large body, by the digest of its text. */
export const bodyPath = (org: OrganizationId, sha256: string): string => `bodies/${org}/${sha256}`;

/** The key of an attachment, by its digest. */
export const evidencePath = (org: OrganizationId, sha256: string): string => `evidence/${org}/${sha256}`;

/** The key of the archive of an export. */
export const exportPath = (org: OrganizationId, id: Id): string => `exports/${org}/${id}.tar`;

/** The key of a body or of an attachment, by its digest. */
export const pathOf = (prefix: 'bodies' | 'evidence', org: OrganizationId, sha256: string): string =>
  prefix === 'bodies' ? bodyPath(org, sha256) : evidencePath(org, sha256);

/** The key of an object of the log. */
export const logPath = (org: OrganizationId, name: string): string => `log/${org}/${name}`;
