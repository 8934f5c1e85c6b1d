import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Secret scanners recognize keys by this prefix. */
const PREFIX = 'dek_';
const SECRET_BYTES = 32;

/** Returns a new secret: a prefix and 256 random bits, without commas (rules/organizations.md#api-keys). */
export const mintKey = (random: (size: number) => Uint8Array = randomBytes): string =>
  PREFIX + Buffer.from(random(SECRET_BYTES)).toString('base64url');

/** Returns what is stored of a secret: its SHA-256, in hex. */
export const hashKey = (secret: string): string => hash('sha256', secret);

/** Compares two hashes in constant time. */
export const sameHash = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/**
 * Reads the key from an Authorization header: the Bearer token, or the user name of Basic, or its password if the user
 * name is empty (rules/requests.md#authentication). Schemes are read in any case.
 * @returns null if there is no credential of either scheme
 */
export function readCredential(header: string | undefined): string | null {
  const [, scheme = '', value = ''] = /^\s*(\S+)\s+(.*?)\s*$/s.exec(header ?? '') ?? [];
  if (value === '') return null;
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() === 'basic') return fromBasic(value);
  return null;
}

function fromBasic(value: string): string | null {
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const user = colon < 0 ? text : text.slice(0, colon);
  return user || text.slice(colon + 1) || null;
}
