import { randomBytes as fromTheSystem } from 'node:crypto';

/** Bytes fetched at a time. */
const FETCHED = 4_096;

let fetched = Buffer.alloc(0);

/**
 * Returns random bytes of the system for ids and salts. They are fetched in blocks, because a write needs several dozen
 * and each fetch is expensive. No byte is used twice.
 */
export function randomBytes(size: number): Buffer {
  if (fetched.length < size) fetched = fromTheSystem(Math.max(size, FETCHED));
  const bytes = Buffer.from(fetched.subarray(0, size));
  fetched = fetched.subarray(size);
  return bytes;
}
