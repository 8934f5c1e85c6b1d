import * as z from 'zod';
import { type AttestationId, isId, type OrganizationId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { DOWNLOAD_SECONDS } from '#shared/bodies/objects.ts';
import { AttachmentOut, attachmentOut } from '#shared/evidence/attestation-output.ts';
import { type AttachmentFile, readAttestation } from '#shared/evidence/records/attestation-records.ts';
import { attestationNotFound } from '#shared/evidence/rules/sentences.ts';
import type { Services } from '#shared/http/services.ts';

export const Download = AttachmentOut.extend({
  download_url: z.string().nullable().meta({ description: 'Null once the file was erased' }),
  expires_at: z.number().nullable(),
}).meta({
  id: 'AttachmentDownload',
  description: 'The file can be downloaded from `download_url` until `expires_at`.',
});

/**
 * Reads the attachments of an attestation.
 * @throws ApiError 404 if the organization has no such attestation
 */
export async function readFiles(services: Services, org: OrganizationId, id: string): Promise<AttachmentFile[]> {
  const record = isId<AttestationId>(id) ? await readAttestation(services.table, org, id) : null;
  if (!record) throw attestationNotFound();
  return record.files;
}

/**
 * Describes an attachment and gives an address to download it from for a few minutes
 * (rules/attestations.md#read-attachments).
 */
export async function download({ objects, clock }: Services, org: OrganizationId, file: AttachmentFile) {
  const { filename, type, sha256, version } = file;
  if (file.erased) return { ...attachmentOut(file), download_url: null, expires_at: null };
  return {
    ...attachmentOut(file),
    download_url: await objects.presignDownload(org, sha256, version, filename, type),
    expires_at: Math.floor(toSeconds(clock.now())) + DOWNLOAD_SECONDS,
  };
}
