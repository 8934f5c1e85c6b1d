import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { nameOfError } from '#shared/base/error-facts.ts';
import { cutText } from '#shared/base/well-formed.ts';
import { isTar, previewText, TEXT_BYTES } from '../rules/preview/file-kind.ts';

/** A file of an archive. */
export interface ArchivedFile {
  name: string;
  size: number;
  /** Its first bytes as text; null if it is no text, or if the files before it took all the room. */
  text: string | null;
  truncated: boolean;
}

/** What is in a packed file: the files of an archive, or one file. */
type Unpacked =
  | { kind: 'archive'; files: ArchivedFile[]; total: number }
  | { kind: 'file'; bytes: Buffer }
  | { kind: 'too_large' | 'damaged' };

/** Most bytes of an archive after unpacking. A small file can unpack to gigabytes. */
const UNPACKED_BYTES = 8 * 1024 * 1024;
/** Most files of an archive that are listed. */
const MOST_FILES = 200;
const LONGEST_NAME = 1024;

/** Unpacks a file in gzip, and reads it if it is a tar (rules/attestations.md#preview). */
export async function unpack(packed: Uint8Array): Promise<Unpacked> {
  const bytes = await unzipped(packed);
  if (bytes === 'too_large' || bytes === 'damaged') return { kind: bytes };
  return isTar(bytes) ? filesOf(bytes) : { kind: 'file', bytes };
}

async function unzipped(packed: Uint8Array): Promise<Buffer | 'too_large' | 'damaged'> {
  try {
    return await promisify(gunzip)(packed, { maxOutputLength: UNPACKED_BYTES });
  } catch (error) {
    // Errors of the runtime have a code. Other values have none.
    const code = (error as { code?: unknown }).code;
    if (code === 'ERR_BUFFER_TOO_LARGE') return 'too_large';
    // The decompressor names all errors of its input so, for example `Z_DATA_ERROR`.
    if (typeof code === 'string' && code.startsWith('Z_')) return 'damaged';
    throw error;
  }
}

async function filesOf(tar: Buffer): Promise<Unpacked> {
  const files: ArchivedFile[] = [];
  let [total, room] = [0, TEXT_BYTES];
  const reader = extract();
  reader.end(tar);
  try {
    for await (const entry of reader) {
      const { name, size = 0, type } = entry.header;
      const chunks: Uint8Array[] = [];
      // The stream has no type for its chunks.
      for await (const chunk of entry) chunks.push(chunk as Uint8Array);
      if (type !== 'file') continue;
      total += 1;
      if (files.length === MOST_FILES) continue;
      const shown = Buffer.concat(chunks).subarray(0, room);
      const isCut = shown.length < size;
      const text = room === 0 && size > 0 ? null : previewText(shown, isCut);
      if (text !== null) room -= shown.length;
      files.push({ name: cutText(name.toWellFormed(), LONGEST_NAME), size, text, truncated: isCut });
    }
  } catch (error) {
    // The reader throws plain errors about headers and lengths.
    if (nameOfError(error) === 'Error') return { kind: 'damaged' };
    throw error;
  }
  return { kind: 'archive', files, total };
}
