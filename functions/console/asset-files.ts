import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A name without a folder in it. */
const NAME = /^\w[\w-]*(?:\.[\w-]+)+$/;

/** The files of a folder. A release has few of them, so their bytes stay in memory after the first read. */
export class AssetFiles {
  readonly #folder: string;
  readonly #read = new Map<string, Buffer>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @returns undefined if the folder has no such file. On one machine, a new build removes the files of the one before */
  read(name: string): Buffer | undefined {
    const known = this.#read.get(name);
    if (known) return known;
    if (!NAME.test(name)) return undefined;
    try {
      const bytes = readFileSync(join(this.#folder, name));
      this.#read.set(name, bytes);
      return bytes;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }
}
