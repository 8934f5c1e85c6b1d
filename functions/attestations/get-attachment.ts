import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { attachmentErased, attachmentNotFound, attestationNotFound } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { Download, download, readFiles } from './downloads.ts';

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
  params: z.object({ org: z.string(), attestation_id: z.string(), n: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: Download },
  errors: [attestationNotFound, attachmentNotFound, attachmentErased],
  uses: { bucket: ['evidence:read'] },
  handler: async ({ params, org }, services) => {
    const files = await readFiles(services, org.id, params.attestation_id);
    const file = /^(0|[1-9]\d{0,3})$/.test(params.n) ? files[Number(params.n)] : undefined;
    if (!file) throw attachmentNotFound();
    const { erased } = file;
    if (erased)
      throw attachmentErased({ at: new Date(toSeconds(erased.at) * 1000).toISOString(), reason: erased.reason });
    return { status: 200, body: await download(services, org.id, file) };
  },
});
