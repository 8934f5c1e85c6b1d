import * as z from 'zod';

/** Rules of tags on plain data (rules/tags.md#change-of-tags). */

/** Values by name. */
export type Tags = Readonly<Record<string, string>>;

const LONGEST_NAME = 128;
const LONGEST_VALUE = 1024;
const MOST_TAGS = 200;
/** Most bytes (UTF-8) of all tags of a resource. They lie in one item with room to spare (rules/tags.md#limits). */
export const MOST_BYTES = 256 * 1024;

/** The name of a tag (rules/tags.md#limits). */
export const TagName = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$/)
  .max(LONGEST_NAME);

/**
 * Returns whether a text can be the name of a tag. Other texts are unknown without a read and never become part of a
 * key.
 */
export const isTagName = (name: string): boolean => TagName.safeParse(name).success;

export const TagValue = z.string().max(LONGEST_VALUE);

/**
 * A change of the tags of a resource. Clients send null for members that they leave out (rules/tags.md#change-of-tags).
 */
export const TagChange = z
  .object({
    set_tags: z.record(TagName, TagValue).nullish().describe('Tags to set, by name. Other tags stay'),
    remove_tags: z
      .array(z.string())
      .nullish()
      .meta({ description: 'Names of tags; those that are not there are fine' }),
  })
  .meta({ id: 'TagChange', description: 'First the tags are set, then removed.' });
export type TagChange = z.output<typeof TagChange>;

/** One tag that changes. Undefined means that the tag does not exist before or after. */
export interface TagStep {
  name: string;
  before: string | undefined;
  after: string | undefined;
}

/**
 * Returns the steps of a change. Removals come first, so that no step has more tags than exist before or after the
 * change.
 */
export function stepsOf(before: Tags, { set_tags: set, remove_tags: remove }: TagChange): TagStep[] {
  const old = new Map(Object.entries(before));
  const wanted = new Map(Object.entries(set ?? {}));
  const removed = new Set(remove ?? []);
  const gone = [...old].filter(([name]) => removed.has(name));
  const changed = [...wanted].filter(([name, value]) => !removed.has(name) && old.get(name) !== value);
  return [
    ...gone.map(([name, value]) => ({ name, before: value, after: undefined })),
    ...changed.map(([name, value]) => ({ name, before: old.get(name), after: value })),
  ];
}

export function applied(before: Tags, steps: readonly TagStep[]): Tags {
  const tags = new Map(Object.entries(before));
  for (const { name, after } of steps) {
    if (after === undefined) tags.delete(name);
    else tags.set(name, after);
  }
  return Object.fromEntries(tags);
}

/** Returns why a resource cannot have these tags; undefined if it can. */
export function tooMuch(tags: Tags): string | undefined {
  const entries = Object.entries(tags);
  if (entries.length > MOST_TAGS) {
    return `A resource may have at most ${MOST_TAGS} tags; it would have ${entries.length}`;
  }
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(value), 0);
  return bytes > MOST_BYTES
    ? `The tags of a resource may have at most ${MOST_BYTES} bytes of UTF-8 together; they would have ${bytes}`
    : undefined;
}

/**
 * Returns whether tags meet all filters of the form `key` or `key:value`. Keys contain no colon
 * (rules/lists.md#filter-by-tags).
 */
export const hasTags = (tags: Readonly<Record<string, string>>, filters: readonly string[]): boolean =>
  filters.every((filter) => {
    const colon = filter.indexOf(':');
    if (colon < 0) return Object.hasOwn(tags, filter);
    const key = filter.slice(0, colon);
    return Object.hasOwn(tags, key) && tags[key] === filter.slice(colon + 1);
  });
