import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { readAttachments } from '#shared/evidence/attestations/read-attachments.ts';
import { attestationNotFound } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { Download, download } from './downloads.ts';

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
