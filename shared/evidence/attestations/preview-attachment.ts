import type { OrganizationId } from '#shared/base/ids.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { isGzip, pictureType, previewText, TEXT_BYTES, WHOLE_BYTES } from '../rules/preview/file-kind.ts';
import { type ArchivedFile, unpack } from './archived-files.ts';
import { type AttachmentFile, readAttachment } from './read-attachments.ts';

/** Why nothing of a file is shown. */
type NoPreview = 'too_large' | 'not_text' | 'damaged' | 'missing' | 'other_content';

/** What of a file can be shown without saving it. */
export type Preview =
  | { kind: 'text'; text: string; truncated: boolean }
  | { kind: 'picture'; mediaType: string; bytes: Buffer }
  | { kind: 'archive'; files: ArchivedFile[]; total: number }
  | { kind: 'none'; why: NoPreview };

/**
 * Reads what of an attachment can be shown: the first 256 KB of a text, a picture of at most 1 MB, or the texts of an archive of at
 * most 1 MB (rules/attestations.md#preview). A file that is read whole must have the SHA-256 that was recorded.
 *
 * @throws ServiceError `not-found` if there is no such attachment, `gone` if it was erased
 */
export async function previewAttachment(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  attestation: string,
  n: string,
): Promise<{ file: AttachmentFile; preview: Preview }> {
  const file = await readAttachment(stores, org, attestation, n);
  return { file, preview: await previewOf(stores, org, file) };
}

async function previewOf(stores: Pick<Stores, 'objects'>, org: OrganizationId, file: AttachmentFile): Promise<Preview> {
  const isWhole = file.size <= TEXT_BYTES;
  const start = await stores.objects.findFile(org, file.sha256, file.version, isWhole ? undefined : TEXT_BYTES);
  if (start === null) return { kind: 'none', why: 'missing' };
  if (isWhole && sha256Hex(start) !== file.sha256) return { kind: 'none', why: 'other_content' };
  const mediaType = pictureType(start);
  if (mediaType === null && !isGzip(start)) return textOf(start, !isWhole);
  const bytes = isWhole ? start : await wholeFile(stores, org, file);
  if (typeof bytes === 'string') return { kind: 'none', why: bytes };
  return mediaType === null ? unpacked(bytes) : { kind: 'picture', mediaType, bytes };
}

async function wholeFile(
  { objects }: Pick<Stores, 'objects'>,
  org: OrganizationId,
  { sha256, version, size }: AttachmentFile,
): Promise<Buffer | NoPreview> {
  if (size > WHOLE_BYTES) return 'too_large';
  const bytes = await objects.findFile(org, sha256, version);
  if (bytes === null) return 'missing';
  return sha256Hex(bytes) === sha256 ? bytes : 'other_content';
}

async function unpacked(packed: Buffer): Promise<Preview> {
  const content = await unpack(packed);
  switch (content.kind) {
    case 'archive':
      return content;
    case 'file':
      return textOf(content.bytes.subarray(0, TEXT_BYTES), content.bytes.length > TEXT_BYTES);
    default:
      return { kind: 'none', why: content.kind };
  }
}

function textOf(bytes: Uint8Array, isCut: boolean): Preview {
  const text = previewText(bytes, isCut);
  return text === null ? { kind: 'none', why: 'not_text' } : { kind: 'text', text, truncated: isCut };
}
