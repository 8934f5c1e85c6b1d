import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { DOWNLOAD_SECONDS } from '#shared/bodies/objects.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { AttachmentOut, attachmentOut } from '#shared/evidence/attestation-output.ts';
import {
  type AttachmentFile,
  readAttachment,
  readAttachments,
} from '#shared/evidence/attestations/read-attachments.ts';
import { attachmentErased, attachmentNotFound, attestationNotFound } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';

const Download = AttachmentOut.extend({
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
async function download(
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

/** GET /attestations/{org}/{attestation_id}/attachments: all attachments (rules/attestations.md#read-attachments). */
export const listAttachments = endpoint({
  operation: 'listAttachments',
  method: 'GET',
  path: '/attestations/{org}/{attestation_id}/attachments',
  summary: 'List the attachments of an attestation',
  access: 'reader',
  success: { 200: z.array(Download) },
  errors: [attestationNotFound],
  uses: { bucket: ['evidence:read'] },
  handler: async ({ params, org }, stores: Stores) => {
    const files = await readAttachments(stores, org.id, params.attestation_id);
    return { status: 200, body: await Promise.all(files.map((file) => download(stores, org.id, file))) };
  },
});

/**
 * GET /attestations/{org}/{attestation_id}/attachments/{n}: one attachment, n from 0
 * (rules/attestations.md#read-attachments).
 */
export const getAttachment = endpoint({
  operation: 'getAttachment',
  method: 'GET',
  path: '/attestations/{org}/{attestation_id}/attachments/{n}',
  summary: 'Get one attachment, with an address to download it from',
  access: 'reader',
  success: { 200: Download },
  errors: [attestationNotFound, attachmentNotFound, attachmentErased],
  uses: { bucket: ['evidence:read'] },
  handler: async ({ params, org }, stores: Stores) => {
    const file = await readAttachment(stores, org.id, params.attestation_id, params.n);
    return { status: 200, body: await download(stores, org.id, file) };
  },
});
