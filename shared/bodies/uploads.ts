import * as z from 'zod';
import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { uploadKey } from './keys.ts';

/**
 * A file that a caller announced and may upload. A claim compares the uploaded file with it
 * (rules/attestations.md#presigned-upload).
 */
const Upload = z.object({
  id: z.string(),
  filename: z.string(),
  size: z.number(),
  sha256: z.string(),
  type: z.string(),
  by: z.string(),
  at: StoredMicros,
});
type Upload = z.infer<typeof Upload>;

/** How long the bucket keeps unclaimed uploads. */
const KEPT_SECONDS = 2 * 24 * 3600;

/** Returns the write that stores an announced upload under a new id. */
export const uploadWrite = (org: OrganizationId, upload: Upload): Write =>
  putIfAbsent({
    ...uploadKey(org, upload.id),
    v: 1,
    ttl: Math.floor(upload.at / 1e6) + KEPT_SECONDS,
    ...upload,
  });

/** Reads an announced upload; null if it does not exist or is too old, even if the table has not deleted it yet. */
export async function readUpload(table: Table, org: OrganizationId, id: Id, now: Micros): Promise<Upload | null> {
  const item = await table.get(uploadKey(org, id));
  if (!item) return null;
  const upload = Upload.parse(item);
  return upload.at + KEPT_SECONDS * 1e6 > now ? upload : null;
}
