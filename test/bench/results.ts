import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Seen } from './watch.ts';

/** Results of parts, each in a file of its own, so that a later run can renew one of them. Git ignores the folder. */

export interface StoredResult {
  part: string;
  /** Day of the measurement, `YYYY-MM-DD`. */
  day: string;
  seconds: number;
  /** What other work was seen before and during the measurement. */
  before: Seen;
  during: Seen;
  result: unknown;
}

const FOLDER = fileURLToPath(new URL('../../.bench', import.meta.url));

/** Results of quick runs are kept apart, because they must not get into the page. */
const folderOf = (quick: boolean) => (quick ? join(FOLDER, 'quick') : FOLDER);
const fileOf = (part: string, quick: boolean) => join(folderOf(quick), `${part}.json`);

export function storeResult(stored: StoredResult, quick: boolean): void {
  mkdirSync(folderOf(quick), { recursive: true });
  writeFileSync(fileOf(stored.part, quick), `${JSON.stringify(stored, undefined, 2)}\n`);
}

/** @returns undefined if the part was not measured */
export function storedResult(part: string, quick: boolean): StoredResult | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(part, quick), 'utf8')) as StoredResult;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
