import type { Id } from '#shared/base/ids.ts';
import type { Item, Table, Write } from '#shared/table/table.ts';
import { CATALOGUE_SHARDS, catalogueKey, cataloguePartition } from './keys.ts';

/**
 * Catalogues: the kinds of record of which an organization has at most some tens of thousands. Small entries are read
 * in full for search and sort; full records only for the page (design §4.3).
 */
export type CatalogueKind = 'flow' | 'type' | 'repo' | 'environment' | 'policy' | 'control' | 'action';

export const catalogueWrite = (org: Id, kind: CatalogueKind, id: Id, entry: Record<string, unknown>): Write => ({
  put: { ...catalogueKey(org, kind, id), v: 1, ...entry },
});

export const catalogueRemoval = (org: Id, kind: CatalogueKind, id: Id): Write => ({
  remove: catalogueKey(org, kind, id),
});

/** Every entry of a kind with what the relay derived beside it, by id; eight partitions at once. */
export async function readCatalogue(table: Table, org: Id, kind: CatalogueKind): Promise<Map<Id, CatalogueEntry>> {
  const shards = Array.from({ length: CATALOGUE_SHARDS }, (_, shard) => cataloguePartition(org, kind, shard));
  const items = (await Promise.all(shards.map((pk) => table.query({ pk })))).flat();
  const entries = new Map<Id, CatalogueEntry>();
  const activity = new Map<Id, Item>();
  for (const item of items) {
    const [id = '', derived] = item.sk.split('#');
    if (derived === undefined) entries.set(id, { id, entry: item, activity: undefined });
    else activity.set(id, item);
  }
  for (const [id, item] of activity) {
    const entry = entries.get(id);
    if (entry) entry.activity = item;
  }
  return entries;
}

export interface CatalogueEntry {
  id: Id;
  entry: Item;
  activity: Item | undefined;
}
