import * as z from 'zod';
import { type AttestationId, isId, type OrganizationId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { erasureWords } from '#shared/bodies/erasure.ts';
import { DOWNLOAD_SECONDS } from '#shared/bodies/objects.ts';
import { AttachmentOut, attachmentOut } from '#shared/evidence/attestation-output.ts';
import { type AttachmentFile, readAttestation } from '#shared/evidence/records/attestation-records.ts';
import { attachmentErased, attachmentNotFound, attestationNotFound } from '#shared/evidence/rules/sentences.ts';
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
 * @throws ServiceError 404 if the organization has no such attestation
 */
export async function readFiles(services: Services, org: OrganizationId, id: string): Promise<AttachmentFile[]> {
  const record = isId<AttestationId>(id) ? await readAttestation(services.table, org, id) : null;
  if (!record) throw attestationNotFound();
  return record.files;
}

/**
 * Reads one attachment of an attestation.
 * @param n its number in the list, from 0, without leading zeros
 * @throws ServiceError 404 if there is none with this number, 410 if it was erased
 */
export async function presentFile(
  services: Services,
  org: OrganizationId,
  attestation: string,
  n: string,
): Promise<AttachmentFile> {
  const files = await readFiles(services, org, attestation);
  const file = /^(0|[1-9]\d{0,3})$/.test(n) ? files[Number(n)] : undefined;
  if (!file) throw attachmentNotFound();
  const { erased } = file;
  if (erased) throw attachmentErased(erasureWords(erased));
  return file;
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
