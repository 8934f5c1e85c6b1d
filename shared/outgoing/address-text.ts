import { type AddressGuard, AddressRefused } from './address-guard.ts';

export const LONGEST_URL = 2048;

const HTTPS_ONLY = "URL scheme should be 'https'";

/**
 * Returns what is wrong with an address that a caller gave; undefined if nothing is. A valid address is stored and used as it
 * was given. The check resolves no names (rules/notifications.md#webhook-address).
 */
export function urlError(text: string, guard: Pick<AddressGuard, 'assertAllowed'>): string | undefined {
  if (text.length > LONGEST_URL) return `URL should have at most ${LONGEST_URL} characters`;
  // Texts that a URL parser repairs silently are refused. A person who reads the text must see the same address.
  if (!/^https?:\/\/[^/?#\\]/i.test(text) || /[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) {
    return schemeOf(text) ?? 'Input should be a valid URL';
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || /^[^/?#]*\/\/[^/?#]*@/.test(text)) {
    return 'URL should not contain credentials';
  }
  try {
    guard.assertAllowed(url);
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    return url.protocol === 'https:' ? 'URL should not lead to a private, local or reserved address' : HTTPS_ONLY;
  }
  return undefined;
}

/** The error for a text that begins with another scheme. */
const schemeOf = (text: string): string | undefined =>
  /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^https?:/i.test(text) ? HTTPS_ONLY : undefined;
