import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { AttachmentOut, attachmentOut } from '#shared/evidence/attestation-output.ts';
import { type Preview, previewAttachment as readPreview } from '#shared/evidence/attestations/preview-attachment.ts';
import { attachmentErased, attachmentNotFound, attestationNotFound } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';

const ArchivedFileOut = z
  .object({
    name: z.string().describe('Path in the archive, as the archive states it'),
    size: z.int().describe('Size in bytes'),
    text: z.string().nullable().describe('Content; null if it is no text, or if the files before it fill 256 KB'),
    truncated: z.boolean().describe('Whether the content has more than what is shown'),
  })
  .meta({ id: 'ArchivedFile' });

const PreviewOut = AttachmentOut.extend({
  kind: z
    .enum(['text', 'picture', 'archive', 'none'])
    .describe('What can be shown. The bytes decide, not the content type'),
  text: z.string().nullable().describe('First 256 KB of a text; null for other kinds'),
  data: z.string().nullable().describe('The whole picture in base64; null for other kinds'),
  media_type: z.string().nullable().describe('Type of the picture by its bytes; null for other kinds'),
  truncated: z.boolean().describe('Whether the text has more than what is shown'),
  files: z.array(ArchivedFileOut).nullable().describe('At most 200 files of an archive; null for other kinds'),
  file_count: z.int().nullable().describe('Number of files in the archive; null for other kinds'),
  why: z
    .enum(['too_large', 'not_text', 'damaged', 'missing', 'other_content'])
    .nullable()
    .describe(
      'Why nothing is shown: picture or archive of more than 1 MB, no text, an archive that cannot be unpacked, ' +
        'no such file in the bucket, or a file with another SHA-256 than the one that was recorded',
    ),
}).meta({ id: 'AttachmentPreview' });

const NOTHING = {
  text: null,
  data: null,
  media_type: null,
  truncated: false,
  files: null,
  file_count: null,
  why: null,
};

function shown(preview: Preview) {
  switch (preview.kind) {
    case 'text':
      return { ...NOTHING, ...preview };
    case 'picture':
      return { ...NOTHING, kind: preview.kind, data: preview.bytes.toString('base64'), media_type: preview.mediaType };
    case 'archive':
      return { ...NOTHING, kind: preview.kind, files: preview.files, file_count: preview.total };
    case 'none':
      return { ...NOTHING, ...preview };
  }
}

/** GET …/attachments/{n}/preview: what of an attachment can be shown (rules/attestations.md#preview). */
export const previewAttachment = endpoint({
  operation: 'previewAttachment',
  method: 'GET',
  path: '/attestations/{org}/{attestation_id}/attachments/{n}/preview',
  summary: 'Get what can be shown of one attachment: text, a picture or the texts of an archive',
  description: 'Show the text as text only and never as markup: it is whatever the reporter sent.',
  access: 'reader',
  success: { 200: PreviewOut },
  errors: [attestationNotFound, attachmentNotFound, attachmentErased],
  uses: { bucket: ['evidence:read'] },
  handler: async ({ params, org }, stores: Pick<Stores, 'table' | 'objects'>) => {
    const { file, preview } = await readPreview(stores, org.id, params.attestation_id, params.n);
    return { status: 200, body: { ...attachmentOut(file), ...shown(preview) } };
  },
});
