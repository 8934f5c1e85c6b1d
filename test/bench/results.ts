import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Seen } from './noise/watch.ts';

/**
 * Results of parts for the page, each in a file of its own, so that a later run can renew one of them. Git ignores the
 * folder. Only results that were measured without other work are stored.
 */

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

const FOLDER = new URL('../../.bench/', import.meta.url);
const fileOf = (part: string) => fileURLToPath(new URL(`${part}.json`, FOLDER));

export function storeResult(stored: StoredResult): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(fileOf(stored.part), `${JSON.stringify(stored, undefined, 2)}\n`);
}

/** @returns undefined if there is no result */
export function storedResult(part: string): StoredResult | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(part), 'utf8')) as StoredResult;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
