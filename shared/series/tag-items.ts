import * as z from 'zod';
import type { Item, Key, Table, Write } from '#shared/table/table.ts';
import { applied, type TagStep, type Tags } from './tags.ts';

/**
 * Where the tags of a resource lie: in one item apart from its record, which others write. `entry` makes the key under
 * which lists find it by one of them; kinds that are never looked for by tags have none.
 */
export interface TagsPlace {
  item: Key;
  entry?: (name: string, value: string) => Key;
}

/** `rev` counts the writes of the item: writers state the one that they saw. */
const TagsItem = z.object({ tags: z.record(z.string(), z.string()), rev: z.number() });
export type StoredTags = { tags: Tags; rev: number };

export async function readStoredTags(table: Table, { item: key }: TagsPlace): Promise<StoredTags> {
  const item = await table.get(key);
  return item ? TagsItem.parse(item) : { tags: {}, rev: 0 };
}

/** The writes that take some steps from the tags that were read, entries of lists included; and the tags after them. */
export function tagWrites<R>(
  place: TagsPlace,
  { tags, rev }: StoredTags,
  steps: readonly TagStep[],
  again: () => R,
): { after: StoredTags; writes: Write<R>[] } {
  const after = { tags: applied(tags, steps), rev: rev + 1 };
  const item: Write<R> = {
    // A map, since the SDK does not take an object for one that has a member called `constructor`.
    put: { ...place.item, v: 1, rev: after.rev, tags: new Map(Object.entries(after.tags)) },
    ...(rev === 0
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: '#rev = :rev',
          ExpressionAttributeNames: { '#rev': 'rev' },
          ExpressionAttributeValues: { ':rev': rev },
        }),
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

/** Writes of a transaction that are left for entries, beside the tags themselves, the audit log and a claim. */
const MOST_ENTRY_WRITES = 90;

/**
 * Cuts a change into parts that each fit a transaction: one, for all but changes of about a hundred tags at once. Each
 * part is complete in itself.
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

const TagsShown = z.object({ tags: z.record(z.string(), z.string()) });

export const readTags = (item: Item | undefined): Record<string, string> => (item ? TagsShown.parse(item).tags : {});
