import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { UPLOAD_SECONDS } from '#shared/bodies/objects.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import {
  PRESIGN_UPLOAD,
  presignUpload as presign,
  type UploadForm,
} from '#shared/evidence/attestations/presign-upload.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { attachmentTooLarge } from '#shared/http/sentences.ts';
import { answerWrite } from '#shared/http/written.ts';

/** Bytes of the largest file that can be uploaded. */
const ATTACHMENT_LIMIT = 10 * 1024 * 1024;

/** One name without a path and without control characters, in syntax that every dialect of expressions reads. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses these characters
const NO_PATH_NOR_CONTROLS = /^[^/\\\x00-\x1f\x7f-\x9f]+$/;

const UploadRequest = z
  .object({
    filename: z.string().min(1).max(255).regex(NO_PATH_NOR_CONTROLS).describe('Name of the file'),
    size: z.int().min(0).meta({ description: 'Bytes. A larger size is answered with 413', maximum: ATTACHMENT_LIMIT }),
    sha256: z
      .string()
      .regex(/^[a-f0-9]{64}$/)
      .describe('SHA-256 as 64 hex digits'),
    content_type: z
      .string()
      .max(255)
      .regex(/^[A-Za-z0-9_.+-]+\/[A-Za-z0-9_.+-]+(; ?[A-Za-z0-9_-]+=[A-Za-z0-9_.+-]+)*$/)
      .describe('Content type of the file'),
  })
  .meta({ id: 'UploadRequest', description: 'The file to upload: `size` in bytes, `sha256` in lower-case hex.' });

/** POST /attachments/{org}: a form to upload one file (rules/attestations.md#presigned-upload). */
export const presignUpload = endpoint({
  operation: 'presignUpload',
  method: 'POST',
  path: '/attachments/{org}',
  summary: 'Get a form to upload an attachment of up to 10 MB',
  description:
    'Post the fields of `upload` and then the file to its `url`. Then name `attachment_id` in the `attachments` of an attestation. A file of another size or SHA-256 is refused.',
  access: 'member',
  body: { kind: 'json', schema: UploadRequest },
  success: {
    201: z
      .object({
        attachment_id: z.string().describe('Id of the upload, for the field `attachments` of a report'),
        upload: z
          .object({
            method: z.literal('POST').describe('Method of the request'),
            url: z.string().describe('Address of the request'),
            fields: z.record(z.string(), z.string()).describe('Fields of the form. The part `file` follows after them'),
          })
          .describe('The request that uploads the file. It needs no key and expires'),
        expires_at: z.number().describe('When it expires, in seconds since the epoch'),
      })
      .meta({ id: 'PresignedUpload' }),
  },
  errors: [attachmentTooLarge],
  uses: PRESIGN_UPLOAD,
  handler: async (request, stores: Stores) => {
    const { content_type: contentType, ...file } = request.body;
    if (file.size > ATTACHMENT_LIMIT) throw attachmentTooLarge();
    return answerWrite(request, (by) => presign(stores, by, { ...file, contentType }), formOut);
  },
});

const formOut = ({ id, upload, at }: UploadForm) => ({
  status: 201,
  body: { attachment_id: id, upload, expires_at: toSeconds(at) + UPLOAD_SECONDS },
});
