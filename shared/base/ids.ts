import { hash } from 'node:crypto';
import { randomBytes } from './random.ts';
import type { Micros } from './time.ts';

/**
 * An id of any record: lower-case hex in groups of 8-4-4-4-8. The first 48 bits are milliseconds since the epoch, so
 * ids sort by time; 64 random bits follow (design §3, «Ids»; the form: semantics §1.2).
 */
export type Id = string;

export const ID_PATTERN = /^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{8}$/;

export const isId = (text: string): boolean => ID_PATTERN.test(text);

export function newId(now: Micros, random: (size: number) => Uint8Array = randomBytes): Id {
  const millis = Math.floor(now / 1000)
    .toString(16)
    .padStart(12, '0');
  return grouped(millis + Buffer.from(random(8)).toString('hex'));
}

/** The last instant that {@link orderedId} was asked for, and how often. */
let latest = { at: -1, count: 0 };

/**
 * An id whose place among ids of one millisecond is not left to chance: it goes by the microsecond, then by the order in
 * which this process asks. 32 random bits are left.
 */
export function orderedId(now: Micros): Id {
  latest = { at: now, count: latest.at === now ? latest.count + 1 : 0 };
  return newId(now, (size) => {
    const bytes = randomBytes(size);
    bytes.writeUInt16BE(now % 1000, 0);
    bytes.writeUInt16BE(latest.count % 0x1_0000, 2);
    return bytes;
  });
}

/** The smallest id that an instant can have: the lower bound of a time window over ids. */
export const firstIdAt = (at: Micros): Id =>
  grouped(
    `${Math.floor(at / 1000)
      .toString(16)
      .padStart(12, '0')}${'0'.repeat(16)}`,
  );

/** The instant of an id, with the millisecond precision that an id has. */
export const timeOfId = (id: Id): Micros => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) * 1000;

/** An id that derives from a text, sorted by an instant like any other: whoever computes it gets the same. */
export const idAt = (at: Micros, text: string): Id =>
  newId(at, (size) => hash('sha256', text, 'buffer').subarray(0, size));

/** An id made from a digest: the same content has the same id (templates). */
export const idOfDigest = (hexDigest: string): Id => grouped(hexDigest.slice(0, 28));

const grouped = (hex: string): Id =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 28)}`;
