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

/**
 * Unpacks a file in gzip.
 * @param most bytes that it may have after unpacking
 */
export async function unzipped(packed: Uint8Array, most = UNPACKED_BYTES): Promise<Buffer | 'too_large' | 'damaged'> {
  try {
    return await promisify(gunzip)(packed, { maxOutputLength: most });
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
  const read = await readTar(tar, ({ name, size, bytes }) => {
    total += 1;
    if (files.length === MOST_FILES) return;
    const shown = bytes.subarray(0, room);
    const isCut = shown.length < size;
    const text = room === 0 && size > 0 ? null : previewText(shown, isCut);
    if (text !== null) room -= shown.length;
    files.push({ name: cutText(name.toWellFormed(), LONGEST_NAME), size, text, truncated: isCut });
  });
  return read === 'damaged' ? { kind: 'damaged' } : { kind: 'archive', files, total };
}

/**
 * Reads the files of a tar, one after another.
 * @returns `damaged` if the tar ends early or has wrong headers. The files before that place were read
 */
export async function readTar(
  tar: Buffer,
  take: (file: { name: string; size: number; bytes: Buffer }) => void,
): Promise<'done' | 'damaged'> {
  const reader = extract();
  reader.end(tar);
  try {
    for await (const entry of reader) {
      const { name, size = 0, type } = entry.header;
      const chunks: Uint8Array[] = [];
      // The stream has no type for its chunks.
      for await (const chunk of entry) chunks.push(chunk as Uint8Array);
      if (type === 'file') take({ name, size, bytes: Buffer.concat(chunks) });
    }
  } catch (error) {
    // The reader throws plain errors about headers and lengths.
    if (nameOfError(error) === 'Error') return 'damaged';
    throw error;
  }
  return 'done';
}
