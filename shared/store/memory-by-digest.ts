import type { Id } from '../ids.ts';

/** What was made of longer texts takes too much room. */
const LONGEST_TEXT = 64 * 1024;

/**
 * What never changes need not be read twice: values by organization and SHA-256 of the text that says them, the least
 * used forgotten first. Nobody may change a value that came from here.
 */
export class MemoryByDigest<V> {
  readonly #values = new Map<string, V>();
  readonly #most: number;

  /** @param most how many values are kept */
  constructor(most: number) {
    this.#most = most;
  }

  get(org: Id, digest: Uint8Array | string): V | undefined {
    const key = keyOf(org, digest);
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  /** @param size of the text in bytes; values of long texts are not kept */
  set(org: Id, digest: Uint8Array | string, value: V, size: number): void {
    if (size > LONGEST_TEXT) return;
    const key = keyOf(org, digest);
    this.#values.delete(key);
    this.#values.set(key, value);
    const oldest = this.#values.keys().next();
    if (this.#values.size > this.#most && !oldest.done) this.#values.delete(oldest.value);
  }
}

const keyOf = (org: Id, digest: Uint8Array | string): string =>
  `${org}#${typeof digest === 'string' ? digest : Buffer.from(digest).toString('hex')}`;
