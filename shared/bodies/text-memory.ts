import type { OrganizationId } from '#shared/base/ids.ts';

/** Parsed, texts take some five times their length. */
const MOST = 8 * 1024 * 1024;
/** What is made of a short text may take much more room than the text. */
const MOST_VALUES = 1_000;

/**
 * What was made of texts that never change: it need not be read twice. Of too much text, or too many,
 * the least used is forgotten. Nobody may change a value that came from here.
 */
export class TextMemory<V> {
  readonly #values = new Map<string, { value: V; size: number }>();
  readonly #most: number;
  #total = 0;

  /** @param most length of all texts together; a longer one is not remembered */
  constructor(most = MOST) {
    this.#most = most;
  }

  get(key: string): V | undefined {
    const known = this.#values.get(key);
    if (!known) return undefined;
    this.#values.delete(key);
    this.#values.set(key, known);
    return known.value;
  }

  /** @param size length of the text that the value was made of */
  set(key: string, value: V, size: number): void {
    if (size > this.#most) return;
    this.#forget(key);
    this.#values.set(key, { value, size });
    this.#total += size;
    for (const oldest of this.#values.keys()) {
      if (this.#total <= this.#most && this.#values.size <= MOST_VALUES) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#total -= this.#values.get(key)?.size ?? 0;
    this.#values.delete(key);
  }
}

/** The key of what was made of a body: by its organization, and by the SHA-256 of its text, as bytes or in hex. */
export const digestKey = (org: OrganizationId, digest: Uint8Array | string): string =>
  `${org}#${typeof digest === 'string' ? digest : Buffer.from(digest).toString('hex')}`;
