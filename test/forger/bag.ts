import { hash } from 'node:crypto';
import { type ExportFiles, missingFile } from '#verify/export-files.ts';

/** The files of an export by their paths below its folder. */
export type Files = ReadonlyMap<string, Buffer>;

const MANIFEST = 'manifest-sha256.txt';
const TAG_MANIFEST = 'tagmanifest-sha256.txt';
export const TAG_FILES: readonly string[] = ['bag-info.txt', 'bagit.txt', MANIFEST, TAG_MANIFEST];

/** Digests of contents. A change leaves nearly all files as they are. */
const digests = new WeakMap<Buffer, string>();

function digestOf(bytes: Buffer): string {
  const known = digests.get(bytes) ?? hash('sha256', bytes);
  digests.set(bytes, known);
  return known;
}

/**
 * Makes manifest, tag manifest and sizes of an export right again, as somebody does who changed a file and does not want to
 * be seen. A tag file that was changed itself stays so.
 *
 * @param honest the export before the change
 */
export function sealed(files: Files, honest: Files): Files {
  const made = new Map(files);
  const isChanged = (path: string) => files.get(path) !== honest.get(path);
  const lines = (parts: readonly [string, Buffer][]) =>
    Buffer.from(parts.map(([path, content]) => `${digestOf(content)}  ${path}\n`).join(''));
  const payload = [...files].filter(([path]) => path.startsWith('data/'));
  const bytes = payload.reduce((sum, [, content]) => sum + content.length, 0);
  if (!isChanged('bag-info.txt')) {
    const oxum = `Payload-Oxum: ${bytes}.${payload.length}`;
    made.set('bag-info.txt', Buffer.from(String(files.get('bag-info.txt')).replace(/^Payload-Oxum: .*$/m, oxum)));
  }
  if (!isChanged(MANIFEST)) made.set(MANIFEST, lines(payload));
  if (!isChanged(TAG_MANIFEST)) {
    const listed = TAG_FILES.filter((path) => path !== TAG_MANIFEST);
    made.set(TAG_MANIFEST, lines(listed.map((path): [string, Buffer] => [path, made.get(path) ?? Buffer.of()])));
  }
  return made;
}

/** The files as the verifier reads them from an archive. */
export const asExport = (folder: string, files: Files): ExportFiles => ({
  folder,
  facts: new Map([...files].map(([path, bytes]) => [path, { sha256: digestOf(bytes), size: bytes.length }])),
  read: async (path) => files.get(path) ?? Promise.reject(missingFile(path)),
  close: async () => {},
});
