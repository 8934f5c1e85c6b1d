import { malformed } from './errors.ts';

/** Text, base64 and numbers in files of the log. Each value has exactly one accepted form (rules/log.md#strict-forms). */

/**
 * Reads a text file.
 *
 * @param controls the control characters that it may contain
 * @throws TlogError `malformed` if the bytes are not UTF-8 or the text has other control characters
 */
export function readText(bytes: Uint8Array | string, what: string, controls = '\n'): string {
  const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8');
  const isExact = typeof bytes === 'string' ? text.isWellFormed() : Buffer.from(text).equals(bytes);
  if (!isExact) throw malformed(`The ${what} is not UTF-8 text.`);
  for (const char of text) {
    if (char >= ' ' || controls.includes(char)) continue;
    throw malformed(`The ${what} has the control character ${JSON.stringify(char)}.`);
  }
  return text;
}

/** Decodes padded base64 (RFC 4648 §4). Returns undefined for every other form, also if unused bits are set. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** Decodes a SHA-256 hash in base64. */
export function decodeHash(text: string): Buffer | undefined {
  const bytes = decodeBase64(text);
  return bytes?.length === 32 ? bytes : undefined;
}

/** Reads a decimal number without sign and leading zeros, up to 2^53 − 1. */
export function decodeDecimal(text: string): number | undefined {
  const number = /^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}
