import type { $brand } from 'zod';

/**
 * The two halves of a key are types of their own, made by `keys.ts` only: a partition key is no sort key, and neither an
 * id nor any other text is a partition key.
 */
export type PartitionKey = string & $brand<'PartitionKey'>;
export type SortKey = string & $brand<'SortKey'>;

export type Key = { pk: PartitionKey; sk: SortKey };

/** An item as stored. The modules of records parse it with their schema. */
export type Item = Key & Record<string, unknown>;

/** The attribute that names the request which wrote an item (rules/storage.md#requests-of-effects). */
export const REQUEST = 'request';

/** Returns the id of the request that wrote an item; undefined if the item names none. */
export const requestOf = (item: Readonly<Record<string, unknown>>): string | undefined => {
  const request = item[REQUEST];
  return typeof request === 'string' ? request : undefined;
};

/** Returns items of one partition by their sort keys. */
export const bySortKey = (items: readonly Item[]): ReadonlyMap<string, Item> =>
  new Map(items.map((item) => [item.sk, item]));

export interface Range {
  pk: PartitionKey;
  /** Inclusive bounds of the sort key. A prefix is short for both. A bound may be a text that is no key, such as `M#`. */
  from?: string;
  to?: string;
  prefix?: string;
  newestFirst?: boolean;
  /** Most items to read. Default: all items of the range. */
  limit?: number;
}
