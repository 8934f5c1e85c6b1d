import * as z from 'zod';
import { noErrors, validate } from '#shared/base/validation.ts';

/** What the readers of predicates share: how fields are checked, and how a summary shows them. */

/** The longest text of a summary, in UTF-16 units. */
const LONGEST_TEXT = 1024;
/** The most entries of a list of a summary. A count beside the list counts all of them. */
const MOST_LISTED = 20;

/** A predicate is not what its type promises. The message says where and may be shown to everybody. */
export class PredicateUnreadable extends Error {
  constructor(why: string, cause?: unknown) {
    super(why, { cause });
    this.name = 'PredicateUnreadable';
  }
}

/**
 * Checks the fields that a reader uses. Other fields are ignored.
 * @throws PredicateUnreadable with the first field that has a wrong type
 */
export function checked<S extends z.ZodType>(schema: S, predicate: unknown): z.output<S> {
  const errors = noErrors();
  const found = validate(schema, predicate, { whole: 'predicate' }, errors);
  const [first] = Object.entries(errors);
  if (found === undefined || first)
    throw new PredicateUnreadable(first ? first.join(': ') : 'predicate: Field required');
  return found;
}

/** Writers leave out what they do not know, or write null. */
export const text = z.string().nullish();
export const listOf = <S extends z.ZodType>(item: S) => z.array(item).nullish();

/** Algorithms of digests that a summary shows. */
const DIGESTS = ['sha256', 'sha512', 'sha1', 'gitCommit'] as const;
type Digests = Partial<Record<(typeof DIGESTS)[number], string>>;

/** A thing that a predicate names: an address with digests. */
export const Resource = z.object({
  uri: text,
  name: text,
  digest: z.object({ sha256: text, sha512: text, sha1: text, gitCommit: text }).nullish(),
});
type Resource = z.output<typeof Resource>;

/**
 * Returns a text as a summary shows it; null if it is absent, empty or longer than {@link LONGEST_TEXT}. A text is never cut: a condition
 * would compare the cut text.
 */
export function shown(value: string | null | undefined): string | null {
  if (value === null || value === undefined || value.length > LONGEST_TEXT) return null;
  const trimmed = value.trim().toWellFormed();
  return trimmed === '' ? null : trimmed;
}

/** Returns a resource as a summary shows it. */
export function shownResource({ uri, name, digest }: Resource): { uri: string | null; digest: Digests } {
  const digests = DIGESTS.flatMap((algorithm) => {
    const value = shown(digest?.[algorithm]);
    return value === null ? [] : [[algorithm, value] as const];
  });
  return { uri: shown(uri) ?? shown(name), digest: Object.fromEntries(digests) };
}

/** Returns the first entries of a list as a summary shows them. */
export const listed = <T, R>(items: readonly T[] | null | undefined, show: (item: T) => R): R[] =>
  (items ?? []).slice(0, MOST_LISTED).map(show);

/** Counts words of a fixed set. A word outside of the set counts as `other`. */
export function countWords<W extends string>(
  words: readonly W[],
  other: W,
  found: Iterable<string>,
): Record<W, number> {
  const counts = new Map<string, number>(words.map((word) => [word, 0]));
  for (const one of found) {
    const word = counts.has(one) ? one : other;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  // The map has exactly these words.
  return Object.fromEntries(counts) as Record<W, number>;
}
