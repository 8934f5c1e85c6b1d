import { unzipSync, zipSync } from 'fflate';

export interface ZipEntry {
  /** Path within the archive, with `/`. */
  name: string;
  bytes: Buffer;
}

const UNIX = 3;
/** A regular file that everybody may read: a function runs as another user than the one who uploads its archive. */
const ATTRIBUTES = 0o100644 << 16;
/** The format's earliest time, in the local time that the format uses. Real times would change the bytes. */
const NO_TIME = new Date(1980, 0, 1);

/** Makes an archive of the entries, ordered by name. The same files give the same bytes, so CDK skips their upload. */
export function writeZip(entries: readonly ZipEntry[]): Buffer {
  const ordered = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const files = Object.fromEntries(ordered.map(({ name, bytes }) => [name, bytes]));
  return Buffer.from(zipSync(files, { level: 9, os: UNIX, attrs: ATTRIBUTES, mtime: NO_TIME }));
}

/** The files of an archive. @throws Error for bytes that are no archive */
export const readZip = (zip: Buffer): ZipEntry[] =>
  Object.entries(unzipSync(zip)).map(([name, bytes]) => ({ name, bytes: Buffer.from(bytes) }));
