import * as z from 'zod';
import type { Id, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { uploadKey } from './keys.ts';

/** A file that a caller announced and may upload; a claim compares it with what arrived (design §3). */
export const Upload = z.object({
  id: z.string(),
  filename: z.string(),
  size: z.number(),
  sha256: z.string(),
  type: z.string(),
  by: z.string(),
  at: z.number(),
});
export type Upload = z.infer<typeof Upload>;

/** As long as the bucket keeps what nobody claimed. */
const KEPT_SECONDS = 2 * 24 * 3600;

/** The write that announces an upload; its id is new. */
export const uploadWrite = (org: OrganizationId, upload: Upload): Write =>
  putIfAbsent({
    ...uploadKey(org, upload.id),
    v: 1,
    ttl: Math.floor(upload.at / 1e6) + KEPT_SECONDS,
    ...upload,
  });

/** Null for what was never announced, and for what is too old, whether or not the table has cleaned it up. */
export async function readUpload(table: Table, org: OrganizationId, id: Id, now: Micros): Promise<Upload | null> {
  const item = await table.get(uploadKey(org, id));
  if (!item) return null;
  const upload = Upload.parse(item);
  return upload.at + KEPT_SECONDS * 1e6 > now ? upload : null;
}
