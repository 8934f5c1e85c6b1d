import type { Parts } from './package-url-parts.ts';

/** Rules of package types that the library does not know or knows otherwise (rules/components.md#package-urls). */

type Names = Pick<Parts, 'namespace' | 'name' | 'version'>;

const lower = (text: string | null): string | null => text?.toLowerCase() ?? null;

const CASE_OF_TYPE = new Map<string, (names: Names) => Partial<Names>>([
  // The specification asks for capitals in the author of a distribution.
  ['cpan', ({ namespace }) => ({ namespace: namespace?.toUpperCase() ?? null })],
  // Import paths keep their case in Go, but the specification asks for lower case, and generators of SBOMs mix both.
  ['golang', ({ namespace, name }) => ({ namespace: lower(namespace), name: name.toLowerCase() })],
  ['hackage', ({ name }) => ({ name: name.replaceAll('_', '-') })],
  ['luarocks', ({ namespace, name }) => ({ namespace: lower(namespace), name: name.toLowerCase() })],
  // The version is a digest, and its digits are lower case.
  ['oci', ({ version }) => ({ version: lower(version) })],
]);

/** Brings the fields of a package URL into the form of its type, where the library leaves them. */
export function withCaseOfType(url: Parts): Parts {
  return { ...url, ...CASE_OF_TYPE.get(url.type)?.(url) };
}

const REQUIREMENTS = new Map<string, (url: Parts) => string | null>([
  [
    'cpan',
    ({ namespace, name }) => {
      if (namespace !== null && name.includes('::'))
        return 'A distribution of CPAN with an author has no :: in its name';
      if (namespace === null && name.includes('-')) return 'A module of CPAN without an author has no - in its name';
      return null;
    },
  ],
  ['julia', ({ qualifiers }) => ('uuid' in qualifiers ? null : 'A package of Julia needs the qualifier uuid')],
]);

/** Returns what a package URL lacks by the rules of its type that the library does not know; null if it lacks nothing. */
export function packageTypeProblem(url: Parts): string | null {
  return REQUIREMENTS.get(url.type)?.(url) ?? null;
}
