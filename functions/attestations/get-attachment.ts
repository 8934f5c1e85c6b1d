import type { Stores } from '#shared/bodies/stores.ts';
import { readAttachment } from '#shared/evidence/attestations/read-attachments.ts';
import { attachmentErased, attachmentNotFound, attestationNotFound } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { Download, download } from './downloads.ts';

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
