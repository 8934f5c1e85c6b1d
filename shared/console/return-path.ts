import { type FoundPage, findPage } from './pages.ts';

/** The longest path that a sign-in returns to. It travels in a cookie. */
const LONGEST = 1_024;

/**
 * Returns where a person goes after signing in. Only a path of the console counts, and '/' takes the place of all others:
 * anything else could lead a person who just signed in to another site.
 *
 * @param next a path with query and fragment, as an address contains it. Browsers remove line breaks and tabs from
 *   addresses, and take `\` for `/`, so a path with such characters could become the address of another site
 */
export function returnPath(next: string | undefined): string {
  if (next === undefined || next.length > LONGEST || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next)) return '/';
  return pageOf(next) ? next : '/';
}

/** Returns the page of a path with query and fragment. */
export function pageOf(next: string): FoundPage | undefined {
  const [path = ''] = next.split(/[?#]/);
  try {
    return findPage(decodeURIComponent(path));
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
