import * as z from 'zod';
import { absent, equal, onlyIf } from '#shared/table/expressions.ts';
import type { Item, Key, Table, Write } from '#shared/table/table.ts';
import { applied, type TagStep, type Tags } from './tags.ts';

/**
 * The place of the tags of a resource: an item separate from the record, which others write. `entry` returns the key by
 * which lists find the resource through one of its tags; kinds without such lists have none.
 */
export interface TagsPlace {
  item: Key;
  entry?: (name: string, value: string) => Key;
}

/** `rev` counts the writes of the item. A writer states the `rev` that it read. */
const TagsItem = z.object({ tags: z.record(z.string(), z.string()), rev: z.number() });
export type StoredTags = { tags: Tags; rev: number };

export async function readStoredTags(table: Table, { item: key }: TagsPlace): Promise<StoredTags> {
  const item = await table.get(key);
  return item ? TagsItem.parse(item) : { tags: {}, rev: 0 };
}

/** Returns the writes for some steps, including the entries of lists, and the tags after them. */
export function tagWrites<R>(
  place: TagsPlace,
  { tags, rev }: StoredTags,
  steps: readonly TagStep[],
  again: () => R,
): { after: StoredTags; writes: Write<R>[] } {
  const after = { tags: applied(tags, steps), rev: rev + 1 };
  const item: Write<R> = {
    // A Map, because the SDK rejects an object with a member called `constructor`.
    put: { ...place.item, v: 1, rev: after.rev, tags: new Map(Object.entries(after.tags)) },
    ...onlyIf(rev === 0 ? absent() : equal({ rev })),
    refused: again,
  };
  return { after, writes: [item, ...steps.flatMap((step) => entryWrites(place, step))] };
}

function entryWrites({ entry }: TagsPlace, { name, before, after }: TagStep): Write[] {
  if (!entry) return [];
  return [
    ...(before === undefined ? [] : [{ remove: entry(name, before) }]),
    ...(after === undefined ? [] : [{ put: { ...entry(name, after), v: 1 } }]),
  ];
}

/** Writes of a transaction that remain for entries, after the tags, the audit log and a claim. */
const MOST_ENTRY_WRITES = 90;

/**
 * Divides a change into parts that each fit into one transaction. Only changes of about a hundred tags need more than
 * one part. Each part is complete in itself.
 */
export function partsOf(place: TagsPlace, steps: readonly TagStep[]): TagStep[][] {
  const parts: TagStep[][] = [];
  let room = 0;
  for (const step of steps) {
    const cost = entryWrites(place, step).length;
    const last = parts.at(-1);
    if (last && cost <= room) {
      last.push(step);
    } else {
      parts.push([step]);
      room = MOST_ENTRY_WRITES;
    }
    room -= cost;
  }
  return parts;
}

/** The part of the item of tags that readers see. */
const TagsShown = z.object({ tags: z.record(z.string(), z.string()) });

/** How exports show tags. */
export const SHOWN_TAGS = { item: 'tags', schema: TagsShown };

export const readTags = (item: Item | undefined): Record<string, string> => (item ? TagsShown.parse(item).tags : {});
