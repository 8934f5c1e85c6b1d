import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** File with the hash of the sources that the folder was compiled from. */
const STAMP = 'sources.sha256';

interface Compilation {
  /** Name of the folder in `dist`, which Git ignores. */
  name: string;
  /** Files and folders that the result depends on, from the root of the project. */
  sources: readonly string[];
  /** Writes the result to a folder. */
  compile: (folder: string) => Promise<void>;
}

/**
 * Compiles sources, unless the folder already holds what the present sources compile to.
 *
 * @returns the folder of the result
 */
export async function compiled({ name, sources, compile }: Compilation): Promise<string> {
  const target = join(ROOT, 'dist', name);
  const stamp = stampOf(sources);
  if (storedStamp(target) === stamp) return target;
  mkdirSync(dirname(target), { recursive: true });
  const folder = mkdtempSync(`${target}-`);
  try {
    await compile(folder);
    writeFileSync(join(folder, STAMP), stamp);
    replace(target, folder, stamp);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return target;
}

/** Puts the folder in the place of the former one. Other processes can do the same with the same files at the same time. */
function replace(target: string, folder: string, stamp: string): void {
  while (storedStamp(target) !== stamp) {
    rmSync(target, { recursive: true, force: true });
    try {
      renameSync(folder, target);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!OTHER_WAS_FIRST.has(code)) throw error;
    }
  }
}

/** Codes of a rename to a folder that another process has put there meanwhile. */
const OTHER_WAS_FIRST = new Set(['ENOTEMPTY', 'EEXIST']);

/** Returns a hash over the names and the contents of all sources. */
function stampOf(sources: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of sources.flatMap((source) => filesOf(join(ROOT, source)))) {
    const bytes = readFileSync(file);
    hash.update(`${file.slice(ROOT.length)}\n${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

function filesOf(path: string): string[] {
  if (!existsSync(path)) throw new Error(`The source ${path} does not exist`);
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

function storedStamp(target: string): string | undefined {
  const file = join(target, STAMP);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
