import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import { Fault, UsageError } from './fault.ts';

/** The files of an export, from its tar file or from the folder that it was unpacked to. Paths begin below the folder. */
export interface ExportFiles {
  folder: string;
  /** SHA-256 in hex of the content, and the size in bytes, by path. */
  facts: ReadonlyMap<string, { sha256: string; size: number }>;
  /** @throws Fault if there is no such file */
  read(path: string): Promise<Buffer>;
  close(): Promise<void>;
}

/**
 * Reads every file of an export once and remembers size and digest. Files are read again later, each as a whole: no file
 * that the verifier reads again is larger than an attachment, whatever the size of the export.
 *
 * @throws Fault if the archive is cut off or has something else than files
 */
export async function openExport(path: string): Promise<ExportFiles> {
  const found = await stat(path).catch((error: Error) => {
    throw new UsageError(`${path} cannot be read: ${error.message}`, { cause: error });
  });
  return found.isDirectory() ? openFolder(path) : openTar(path);
}

interface Place {
  sha256: string;
  size: number;
  /** Where the content begins in the archive. */
  start: number;
}

const CHUNK = 64 * 1024;
const BLOCK = 512;

async function openTar(path: string): Promise<ExportFiles> {
  const facts = new Map<string, Place>();
  const folders = new Set<string>();
  const archive = extract();
  const reading = pipeline(createReadStream(path, { highWaterMark: CHUNK }), archive);
  const collecting = (async () => {
    for await (const entry of archive) {
      const { name, type, size } = entry.header;
      if (type !== 'file' && type !== 'directory')
        throw new Fault(name, `the archive has a ${type}, and not only files`);
      const hash = createHash('sha256');
      // The stream of the library declares no type for its chunks.
      for await (const chunk of entry) hash.update(chunk as Uint8Array);
      if (type === 'directory') continue;
      const [folder = '', ...rest] = name.split('/');
      folders.add(folder);
      const inside = rest.join('/');
      if (facts.has(inside)) throw new Fault(inside, 'the archive has this file twice');
      facts.set(inside, { sha256: hash.digest('hex'), size, start: entry.offset + BLOCK });
    }
  })();
  const [read, collected] = await Promise.allSettled([reading, collecting]);
  for (const outcome of [collected, read]) {
    if (outcome.status !== 'rejected') continue;
    if (outcome.reason instanceof Fault) throw outcome.reason;
    throw new Fault(path, `the archive cannot be read: ${outcome.reason.message}`, outcome.reason);
  }
  const [folder, other] = folders;
  if (folder === undefined || other !== undefined)
    throw new Fault(path, 'the archive does not have exactly one folder');
  const file = await open(path);
  return { folder, facts, read: (inside) => readPart(file, inside, facts.get(inside)), close: () => file.close() };
}

async function readPart(file: FileHandle, path: string, place: Place | undefined): Promise<Buffer> {
  if (!place) throw missingFile(path);
  const buffer = Buffer.alloc(place.size);
  for (let done = 0; done < place.size; ) {
    const { bytesRead } = await file.read(buffer, done, place.size - done, place.start + done);
    if (bytesRead === 0) throw new Fault(path, 'the archive became shorter while it was read');
    done += bytesRead;
  }
  return buffer;
}

async function openFolder(root: string): Promise<ExportFiles> {
  const facts = new Map<string, { sha256: string; size: number }>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const file = join(entry.parentPath, entry.name);
    const inside = relative(root, file).split(sep).join('/');
    if (!entry.isFile()) throw new Fault(inside, 'this is neither a file nor a folder');
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of createReadStream(file, { highWaterMark: CHUNK })) {
      hash.update(chunk);
      size += chunk.length;
    }
    facts.set(inside, { sha256: hash.digest('hex'), size });
  }
  return {
    folder: basename(join(root, '.')),
    facts,
    close: async () => {},
    read: async (inside) => {
      const known = facts.get(inside);
      if (!known) throw missingFile(inside);
      const file = await open(join(root, inside));
      try {
        return await readPart(file, inside, { ...known, start: 0 });
      } finally {
        await file.close();
      }
    },
  };
}

export const missingFile = (path: string): Fault => new Fault(path, 'the file is missing');
