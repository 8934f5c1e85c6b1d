import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Secret scanners recognize keys and sessions by these prefixes. */
const KEY_PREFIX = 'dek_';
const SESSION_PREFIX = 'des_';
const SECRET_BYTES = 32;

/** Returns a new secret of a key: a prefix and 256 random bits, without commas (rules/organizations.md#api-keys). */
export const mintKey = (): string => KEY_PREFIX + randomBytes(SECRET_BYTES).toString('base64url');

/** Returns a new secret of a session, made like that of a key (rules/organizations.md#sessions). */
export const mintSession = (): string => SESSION_PREFIX + randomBytes(SECRET_BYTES).toString('base64url');

/** Returns a new token against forgery, with 256 random bits (rules/requests.md#csrf-token). */
export const mintCsrfToken = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** Returns what is stored of a secret: its SHA-256, in hex. */
export const hashKey = (secret: string): string => hash('sha256', secret);

const SESSION_FORM = /^des_[A-Za-z0-9_-]{43}$/;
/** Returns whether a text has the form of a session's secret. */
export const isSessionSecret = (text: string): boolean => SESSION_FORM.test(text);

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

/** The two secrets that a browser keeps of a session. */
export interface SessionSecrets {
  secret: string;
  csrf: string;
}
