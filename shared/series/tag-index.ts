import type { Id } from '#shared/base/ids.ts';
import type { PartitionKey } from '#shared/table/items.ts';
import type { Table } from '#shared/table/table.ts';
import { isTagName } from './tags.ts';

/** Where the records of a kind are found by their tags. The sort keys end with the id of the record. */
interface TagIndex {
  /** The partitions of the records that have a tag of this name. */
  partitions: (name: string) => readonly PartitionKey[];
  /** The beginning of the sort keys of the records whose tag has this value. */
  prefix: (name: string, value: string) => string;
}

/** With more filters the entries of all values are read, because one statement reads one range of many partitions. */
const FILTERS_BY_VALUE = 2;

/**
 * Finds the records that have tags (rules/lists.md#filter-by-tags).
 *
 * @param tags `name`, or `name:value`
 * @returns the ids of the records with each tag, in the order of `tags`
 */
export async function findTagged(
  table: Table,
  tags: readonly string[],
  { partitions, prefix: prefixOf }: TagIndex,
): Promise<ReadonlySet<Id>[]> {
  const filters = tags.map((tag) => {
    const colon = tag.indexOf(':');
    const name = colon < 0 ? tag : tag.slice(0, colon);
    if (!isTagName(name)) return { pks: [], prefix: '' };
    return { pks: partitions(name), prefix: colon < 0 ? '' : prefixOf(name, tag.slice(colon + 1)) };
  });
  const byValue = filters.length <= FILTERS_BY_VALUE;
  const found = await Promise.all(
    byValue
      ? filters.map(({ pks, prefix }) => table.queryEach(pks.map((pk) => (prefix === '' ? { pk } : { pk, prefix }))))
      : [table.queryEach([...new Set(filters.flatMap(({ pks }) => pks))].map((pk) => ({ pk })))],
  );
  const all = found.flat(2);
  return filters.map(({ pks, prefix }) => {
    const matching = all.filter(({ pk, sk }) => pks.includes(pk) && sk.startsWith(prefix));
    return new Set(matching.map(({ sk }) => sk.slice(sk.lastIndexOf('#') + 1)));
  });
}
