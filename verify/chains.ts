import { entryHash, FIRST_PREVIOUS } from '#shared/base/proofs/hash-chain.ts';
import type { Subject } from '#shared/log/rules/entry.ts';
import { chainName, readEntry, subjectText } from '#shared/log/rules/verify/entries.ts';
import { HASH_BYTES } from '#shared/tlog/tree.ts';
import { Fault } from './fault.ts';

/**
 * The entries of a log by their subjects (rules/verification.md#chains). Of each entry it keeps the hash and the hash of
 * its predecessor: 64 bytes, because a log may have millions of entries.
 */
export class Chains {
  readonly #size: number;
  readonly #org: string;
  readonly #hashes: Buffer;
  readonly #previous: Buffer;
  /** Index of each link by its number − 1. */
  readonly #links = new Map<string, number[]>();
  /** Index of each audit entry, evaluation and statement. */
  readonly #single = new Map<string, number>();
  /** Names of chains that entries prove, by their names with ids. */
  readonly #names = new Map<string, string>();
  readonly counts = { trail: 0, environment: 0, audit: 0, evaluation: 0, statement: 0 };

  /** @param origin its first label is the id of the organization */
  constructor({ origin, size }: { origin: string; size: number }) {
    this.#size = size;
    this.#org = origin.split('.')[0] ?? '';
    this.#hashes = Buffer.alloc(size * HASH_BYTES);
    this.#previous = Buffer.alloc(size * HASH_BYTES);
  }

  get org(): string {
    return this.#org;
  }

  get chains(): number {
    return this.#links.size;
  }

  /** Adds an entry. @throws Fault if it is no entry of this log, or a second one of its subject */
  add(place: string, index: number, bytes: Buffer): void {
    const entry = readEntry(place, bytes);
    const { subject } = entry;
    if (entry.kind === 'link') {
      if (entry.org !== this.#org) throw new Fault(place, `the entry belongs to organization ${entry.org}`);
      entry.previous.copy(this.#previous, index * HASH_BYTES);
    }
    entryHash(bytes).copy(this.#hashes, index * HASH_BYTES);
    const earlier = this.indexOf(subject);
    if (earlier !== undefined) {
      throw new Fault(place, `${subjectText(subject)} is in the log twice: it is entry ${earlier} as well`);
    }
    this.#put(place, subject, index);
    this.counts[subject.kind] += 1;
  }

  #put(place: string, subject: Subject, index: number): void {
    const name = chainName(subject);
    if (!('number' in subject)) {
      this.#single.set(name, index);
      return;
    }
    if (subject.number > this.#size) {
      throw new Fault(
        place,
        `${subjectText(subject)} is in a log of ${this.#size} entries, so earlier ones are missing`,
      );
    }
    const links = this.#links.get(name) ?? [];
    links[subject.number - 1] = index;
    this.#links.set(name, links);
  }

  /** Checks that no chain has a gap, and that each link names the hash of the link before. */
  check(placeOf: (index: number) => string): void {
    for (const [name, links] of this.#links) {
      let previous: Uint8Array = FIRST_PREVIOUS;
      for (let i = 0; i < links.length; i += 1) {
        const index = links[i];
        if (index === undefined) {
          throw new Fault(
            placeOf(links.at(-1) ?? 0),
            `number ${i + 1} of ${name} is missing, number ${links.length} is there`,
          );
        }
        if (Buffer.compare(at(this.#previous, index), previous) !== 0) {
          throw new Fault(placeOf(index), `number ${i + 1} of ${name} does not name the hash of number ${i}`);
        }
        previous = at(this.#hashes, index);
      }
    }
  }

  indexOf(subject: Subject): number | undefined {
    const name = chainName(subject);
    return 'number' in subject ? this.#links.get(name)?.[subject.number - 1] : this.#single.get(name);
  }

  /** Learns the name of a chain that one of its entries proves. @param text the name for readers: `trail run of flow web` */
  learnName(subject: Subject, text: string): void {
    this.#names.set(chainName(subject), text);
  }

  /** Names a subject for readers of faults, by names as far as entries prove them, and by ids otherwise. */
  text(subject: Subject): string {
    return subjectText(subject, this.#names.get(chainName(subject)));
  }

  hashAt(index: number): Buffer {
    return at(this.#hashes, index);
  }

  /** Names the subject of an entry. It searches, so it is for faults. */
  describe(index: number): string {
    for (const [name, links] of this.#links) {
      const number = links.indexOf(index) + 1;
      if (number > 0) return `number ${number} of ${this.#names.get(name) ?? name}`;
    }
    return [...this.#single].find(([, other]) => other === index)?.[0] ?? `entry ${index}`;
  }
}

const at = (hashes: Buffer, index: number): Buffer => hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
