/** Matches of one kind of record that an answer shows (rules/lookups.md#search-by-name). */
export interface Matches<T> {
  items: T[];
  more: boolean;
}

export const MOST_OF_A_KIND = 10;

/** Cuts off what an answer does not show. */
export const firstMatches = <T>(found: readonly T[]): Matches<T> => ({
  items: found.slice(0, MOST_OF_A_KIND),
  more: found.length > MOST_OF_A_KIND,
});

/** Whether a name begins with a text; case does not count. */
export const beginsWith = (name: string, text: string): boolean => name.toLowerCase().startsWith(text.toLowerCase());

/**
 * Finds the records of which a name begins with the text: first those that have exactly this name, then by name.
 * @param namesOf the names of a record, the one to sort by first
 */
export function byName<T>(records: Iterable<T>, text: string, namesOf: (record: T) => readonly string[]): Matches<T> {
  const rank = (names: readonly string[]) => (names.includes(text) ? 0 : 1);
  const found = [...records]
    .map((record) => ({ record, names: namesOf(record) }))
    .filter(({ names }) => names.some((name) => beginsWith(name, text)))
    .sort((a, b) => rank(a.names) - rank(b.names) || ((a.names[0] ?? '') < (b.names[0] ?? '') ? -1 : 1));
  return firstMatches(found.map(({ record }) => record));
}

interface Resolved {
  type: 'fingerprint' | 'commit' | 'name' | 'ambiguous' | 'nothing';
  /** The one match in full; the text itself unless there is exactly one. */
  full_match: string;
}

/** Says what a text was taken for (rules/lookups.md#search-by-name). @param names the names that begin with the text */
export function resolve(
  text: string,
  { fingerprints, commits, names }: Record<'fingerprints' | 'commits' | 'names', readonly string[]>,
): Resolved {
  const [digest, otherDigest] = [...fingerprints, ...commits];
  const [name, otherName] = names;
  if (digest === undefined) {
    if (name === undefined) return { type: 'nothing', full_match: text };
    return { type: 'name', full_match: otherName === undefined ? name : text };
  }
  if (name !== undefined || otherDigest !== undefined) return { type: 'ambiguous', full_match: text };
  return { type: fingerprints.length > 0 ? 'fingerprint' : 'commit', full_match: digest };
}
