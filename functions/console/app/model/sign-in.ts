import { findPage } from '#shared/console/pages.ts';

/**
 * Where a person goes after signing in. Only a path of this console counts: anything else in the address could lead a
 * person who just signed in to another site.
 */
export function nextPath(next: string | undefined): string {
  if (next === undefined || !/^\/(?![/\\])/.test(next)) return '/';
  const [path = ''] = next.split(/[?#]/);
  return isPage(path) ? next : '/';
}

function isPage(path: string): boolean {
  try {
    return findPage(decodeURIComponent(path)) !== undefined;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}

/** The one-time token of a link `…/-/sign-in#once=…`; null if the address has none. */
export const onceOf = (hash: string): string | null => new URLSearchParams(hash.replace(/^#/, '')).get('once');

/** The token against forgery, which writes send back as a header; '' without a session (rules/requests.md#csrf-token). */
export const csrfTokenOf = (cookies: string): string =>
  /(?:^|; )(?:__Host-)?session-csrf=([^;]*)/.exec(cookies)?.[1] ?? '';
