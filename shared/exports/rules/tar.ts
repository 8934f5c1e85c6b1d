import { pack } from 'tar-stream';

/**
 * The archive of an export is one tar file that is made in many steps (rules/exports.md#archive). So its entries are
 * made one by one: the bytes of all entries, one after another, and then {@link TAR_END} are the file.
 */

/** Every entry begins at a multiple of this many bytes. */
const BLOCK = 512;
/** The end of a tar file: two empty blocks. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

/** Returns the zeros between the content of an entry and the next entry. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** Makes the entry of one file: header, content and padding. @param mtime the time of the file, in milliseconds */
export async function tarEntry(name: string, bytes: Buffer, mtime: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const archive = pack();
  archive.on('data', (chunk) => chunks.push(bytesOf(chunk)));
  await new Promise<void>((resolve, reject) => {
    archive.entry({ name, mtime: new Date(mtime) }, bytes, (error) => (error ? reject(error) : resolve()));
  });
  return Buffer.concat(chunks);
}

/** Makes the header of a file of which the content comes in pieces. {@link tarPadding} follows the content. */
export async function tarHeader(name: string, size: number, mtime: number): Promise<Buffer> {
  const archive = pack();
  const header = new Promise<Buffer>((resolve) =>
    archive.once('data', (chunk) => resolve(Buffer.from(bytesOf(chunk)))),
  );
  archive.entry({ name, size, mtime: new Date(mtime) });
  return header;
}

/** The stream of the library declares no type for its chunks. */
const bytesOf = (chunk: unknown): Uint8Array => chunk as Uint8Array;
