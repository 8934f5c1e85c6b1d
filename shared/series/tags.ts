import * as z from 'zod';

/** The rules of tags on plain data (semantics §14). */

/** Name → value. */
export type Tags = Readonly<Record<string, string>>;

const LONGEST_NAME = 128;
const LONGEST_VALUE = 1024;
export const MOST_TAGS = 200;
/** All of a resource's tags lie in one item: so many bytes of UTF-8 fit with room to spare (design §2.10). */
export const MOST_BYTES = 256 * 1024;

/** The name of a tag (semantics §1.2). */
export const TagName = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$/)
  .max(LONGEST_NAME);

/** Whether anything can have a tag of this name: others are unknown without a look, and never enter a key. */
export const isTagName = (name: string): boolean => TagName.safeParse(name).success;

/** Half a surrogate pair is no text that can be kept: it becomes the replacement character. */
const TagValue = z
  .string()
  .max(LONGEST_VALUE)
  .overwrite((text) => text.toWellFormed());

/** What is asked of a resource's tags; clients send null for what they leave out (wire admin §9). */
export const TagChange = z
  .object({
    set_tags: z.record(TagName, TagValue).nullish(),
    remove_tags: z
      .array(z.string())
      .nullish()
      .meta({ description: 'Names of tags; those that are not there are fine' }),
  })
  .meta({ id: 'TagChange', description: 'First the tags are set, then removed.' });
export type TagChange = z.output<typeof TagChange>;

/** One tag that changes; undefined where it is not there before or after. */
export interface TagStep {
  name: string;
  before: string | undefined;
  after: string | undefined;
}

/** What a change comes to, removals first, so that no step of it has more tags than there are before or after. */
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

/** Why a resource cannot have these tags; undefined where it can. */
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

/** Whether tags meet every filter: `key`, or `key:value` (wire environments §2.4, §13 row 13). Keys hold no colon. */
export const hasTags = (tags: Readonly<Record<string, string>>, filters: readonly string[]): boolean =>
  filters.every((filter) => {
    const colon = filter.indexOf(':');
    if (colon < 0) return Object.hasOwn(tags, filter);
    const key = filter.slice(0, colon);
    return Object.hasOwn(tags, key) && tags[key] === filter.slice(colon + 1);
  });
