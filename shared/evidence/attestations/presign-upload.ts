import { type Id, newId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { uploadWrite } from '#shared/bodies/uploads.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Uses } from '#shared/table/uses.ts';

/** What the form of an upload writes. */
export const PRESIGN_UPLOAD: Uses = { writes: ['UPLOAD'], bucket: ['uploads:write'] };

/** A file as it is announced. */
interface AnnouncedFile {
  filename: string;
  /** Bytes. */
  size: number;
  /** Hex. */
  sha256: string;
  contentType: string;
}

/** The form with which the file can be uploaded. */
export interface UploadForm {
  id: Id;
  upload: Awaited<ReturnType<Objects['presignUpload']>>;
  at: Micros;
}

/** Makes a form to upload one file (rules/attestations.md#presigned-upload). */
export async function presignUpload(
  { table, objects, clock }: Stores,
  by: Author<UploadForm>,
  { filename, size, sha256, contentType }: AnnouncedFile,
): Promise<UploadForm> {
  const { org, caller } = by;
  const at = clock.now();
  const id = newId(at);
  const upload = await objects.presignUpload(org.id, id, { size, sha256, contentType });
  const form = { id, upload, at };
  await table.transact([
    uploadWrite(org.id, { id, filename, size, sha256, type: contentType, by: caller.name, at }),
    ...by.claim(form),
  ]);
  return form;
}
