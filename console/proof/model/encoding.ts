/**
 * Base64, numbers and JSON as files of the log have them. Each value has exactly one accepted form (rules/log.md#strict-forms). The
 * verifier has the same rules in `shared/tlog`; that code needs Node, so a browser cannot run it.
 */

export type Bytes = Uint8Array<ArrayBuffer>;

/** WebCrypto, as browsers and Node have it. */
export type Subtle = typeof crypto.subtle;

/** What was read does not have the form of its standard. */
export class Malformed extends Error {}

/** Bytes of a SHA-256. */
const HASH_BYTES = 32;

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

/** Decodes padded base64. Returns null for every other form, also if unused bits are set. */
export function decodeBase64(text: string): Bytes | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null;
  const binary = atob(text);
  return btoa(binary) === text ? Uint8Array.from(binary, (char) => char.charCodeAt(0)) : null;
}

/** Decodes a SHA-256 in base64. */
export function decodeHash(text: string): Bytes | null {
  const bytes = decodeBase64(text);
  return bytes?.length === HASH_BYTES ? bytes : null;
}

/** Decodes bytes in hex; null for every other form. */
export const decodeHex = (text: string): Bytes | null =>
  /^(?:[0-9a-f]{2})+$/.test(text)
    ? Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    : null;

/** Reads a decimal number without sign and leading zeros, up to 2^53 − 1. */
export function decodeDecimal(text: string): number | null {
  const number = /^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : null;
}

export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (one) => one.toString(16).padStart(2, '0')).join('');

export function joined(...parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export const isSame = (one: Uint8Array, other: Uint8Array): boolean => hex(one) === hex(other);

/** Refuses text with a control character other than the line feed, and text with half of a surrogate pair. */
export function requireText(text: string, what: string): void {
  const control = [...text].find((char) => char < ' ' && char !== '\n');
  if (control !== undefined) throw new Malformed(`the ${what} has the control character ${JSON.stringify(control)}`);
  if (!text.isWellFormed()) throw new Malformed(`the ${what} is not UTF-8 text`);
}

/** The canonical JSON of a value that JSON can hold: members sorted, no white space (RFC 8785). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
