import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { AttachmentOut, attachmentOut } from '#shared/evidence/attestation-output.ts';
import { readAttachment } from '#shared/evidence/attestations/read-attachments.ts';
import { previewText } from '#shared/evidence/rules/preview/file-kind.ts';
import { attachmentErased, attachmentNotFound, attestationNotFound } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';

/** Larger files are not shown as text; they can be downloaded. */
const LARGEST_TEXT = 256 * 1024;

const Preview = AttachmentOut.extend({
  text: z.string().nullable().meta({ description: 'Content of the file; null if `no_text` says why there is none' }),
  no_text: z.enum(['too_large', 'not_text']).nullable().meta({
    description: 'The file has more than 256 KB, or its bytes are not UTF-8 text; null if `text` is there',
  }),
}).meta({ id: 'AttachmentText' });

/** GET …/attachments/{n}/text: an attachment as text (rules/attestations.md#read-attachments). */
export const getAttachmentText = endpoint({
  operation: 'getAttachmentText',
  method: 'GET',
  path: '/attestations/{org}/{attestation_id}/attachments/{n}/text',
  summary: 'Get the content of one attachment as text',
  description: 'Of files with at most 256 KB of UTF-8. The text is whatever the reporter sent: show it as text only.',
  access: 'reader',
  success: { 200: Preview },
  errors: [attestationNotFound, attachmentNotFound, attachmentErased],
  uses: { bucket: ['evidence:read'] },
  handler: async ({ params, org }, stores: Pick<Stores, 'table' | 'objects'>) => {
    const file = await readAttachment(stores, org.id, params.attestation_id, params.n);
    const shown = attachmentOut(file);
    if (file.size > LARGEST_TEXT) return { status: 200, body: { ...shown, text: null, no_text: 'too_large' as const } };
    const text = previewText(await stores.objects.getFile(org.id, file.sha256, file.version), false);
    const body = text === null ? { ...shown, text, no_text: 'not_text' as const } : { ...shown, text, no_text: null };
    return { status: 200, body };
  },
});
