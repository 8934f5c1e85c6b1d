import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { DOWNLOAD_SECONDS } from '#shared/bodies/objects.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { AttachmentOut, attachmentOut } from '#shared/evidence/attestation-output.ts';
import type { AttachmentFile } from '#shared/evidence/attestations/read-attachments.ts';

export const Download = AttachmentOut.extend({
  download_url: z.string().nullable().meta({ description: 'Null once the file was erased' }),
  expires_at: z.number().nullable().describe('When it expires, in seconds since the epoch'),
}).meta({
  id: 'AttachmentDownload',
  description: 'The file can be downloaded from `download_url` until `expires_at`.',
});

/**
 * Describes an attachment and gives an address to download it from for a few minutes
 * (rules/attestations.md#read-attachments).
 */
export async function download(
  { objects, clock }: Pick<Stores, 'objects' | 'clock'>,
  org: OrganizationId,
  file: AttachmentFile,
) {
  const { filename, type, sha256, version } = file;
  if (file.erased) return { ...attachmentOut(file), download_url: null, expires_at: null };
  return {
    ...attachmentOut(file),
    download_url: await objects.presignDownload(org, sha256, version, filename, type),
    expires_at: Math.floor(toSeconds(clock.now())) + DOWNLOAD_SECONDS,
  };
}
