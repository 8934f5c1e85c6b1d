import { randomBytes as fromTheSystem } from 'node:crypto';

/** How many bytes are fetched at a time. */
const FETCHED = 4_096;

let fetched = Buffer.alloc(0);

/**
 * Random bytes for ids and salts, as good as the system's own: these are fetched by the thousand, since a write takes
 * several dozen of them and asking costs more than what is made of the answer. Nobody is given the same bytes twice.
 */
export function randomBytes(size: number): Buffer {
  if (fetched.length < size) fetched = fromTheSystem(Math.max(size, FETCHED));
  const bytes = Buffer.from(fetched.subarray(0, size));
  fetched = fetched.subarray(size);
  return bytes;
}
