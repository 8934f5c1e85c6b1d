import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Makes keys recognisable to secret scanners. */
const PREFIX = 'dek_';
const SECRET_BYTES = 32;

/** A new secret: 256 random bits behind a prefix, without commas (design §3, «Authentication»). */
export const mintKey = (random: (size: number) => Uint8Array = randomBytes): string =>
  PREFIX + Buffer.from(random(SECRET_BYTES)).toString('base64url');

/** What is stored of a secret: its SHA-256, in hex (semantics §12.4). */
export const hashKey = (secret: string): string => hash('sha256', secret);

/** Compares two hashes in a time that does not depend on where they differ. */
export const sameHash = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/**
 * The key in an Authorization header: the Bearer token, or of Basic the user name, or the password where the user name
 * is empty (design §3, «Basic authentication»). Schemes are read in any case.
 * @returns null when there is no credential of either scheme
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
