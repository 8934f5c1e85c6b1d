import { HASH_BYTES } from '#shared/tlog/tree.ts';

/** Names of commitments whose texts stand in other lines than the commitments. */
const NAMES = ['record', 'fields'] as const;
type PledgeName = (typeof NAMES)[number];

export interface Pledge {
  name: PledgeName;
  /** In hex. */
  commitment: string;
  /** Index of the entry; undefined if the log of the export ends before it. Then the export may lack the text. */
  index: number | undefined;
  /** Digest of what the line with the text must repeat, in hex; undefined if it repeats nothing. */
  repeats?: string | undefined;
}

interface Noted extends Pledge {
  slot: number;
  isOpened: boolean;
}

const WIDTH = 2 * HASH_BYTES;

/**
 * Commitments that wait for their texts. An export has about one for each of its records, so what is kept of one is
 * packed into 64 bytes and some numbers.
 */
export class Pledges {
  readonly #slots = new Map<string, number>();
  readonly #names: number[] = [];
  readonly #indexes: number[] = [];
  readonly #hasRepeats: boolean[] = [];
  readonly #isOpened: boolean[] = [];
  #digests = Buffer.alloc(1024 * WIDTH);

  /** @param key what both lines name */
  add(key: string, { name, commitment, index, repeats }: Pledge): void {
    const slot = this.#names.push(NAMES.indexOf(name)) - 1;
    this.#slots.set(key, slot);
    this.#indexes.push(index ?? -1);
    this.#hasRepeats.push(repeats !== undefined);
    this.#isOpened.push(false);
    if (this.#digests.length < (slot + 1) * WIDTH) {
      this.#digests = Buffer.concat([this.#digests, Buffer.alloc(this.#digests.length)]);
    }
    this.#digests.write(commitment, slot * WIDTH, 'hex');
    if (repeats !== undefined) this.#digests.write(repeats, slot * WIDTH + HASH_BYTES, 'hex');
  }

  get(key: string): Noted | undefined {
    const slot = this.#slots.get(key);
    return slot === undefined ? undefined : this.#at(slot);
  }

  open({ slot }: Noted): void {
    this.#isOpened[slot] = true;
  }

  /** Returns the first one of the log of which no line had the text. */
  firstClosed(): Noted | undefined {
    const slot = this.#isOpened.findIndex((isOpened, i) => !isOpened && (this.#indexes[i] ?? -1) >= 0);
    return slot < 0 ? undefined : this.#at(slot);
  }

  #at(slot: number): Noted {
    const hex = (start: number) => this.#digests.toString('hex', start, start + HASH_BYTES);
    const index = this.#indexes[slot] ?? -1;
    return {
      slot,
      name: NAMES[this.#names[slot] ?? 0] ?? 'record',
      commitment: hex(slot * WIDTH),
      index: index < 0 ? undefined : index,
      repeats: this.#hasRepeats[slot] ? hex(slot * WIDTH + HASH_BYTES) : undefined,
      isOpened: this.#isOpened[slot] ?? false,
    };
  }
}
