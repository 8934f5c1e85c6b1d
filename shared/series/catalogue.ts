import {
  type EnvironmentId,
  type FlowId,
  type Id,
  type OrganizationId,
  type PolicyId,
  storedId,
} from '#shared/base/ids.ts';
import type { Item, Table, Write } from '#shared/table/table.ts';
import { catalogueKey, cataloguePartition } from './keys.ts';

/**
 * Catalogues: lists of the kinds of record of which an organization has at most some ten thousand. Search and sort read
 * all small entries; only the records of the page are read completely (rules/lists.md#catalogues).
 */
export interface CatalogueIds {
  flow: FlowId;
  type: Id;
  repo: Id;
  environment: EnvironmentId;
  policy: PolicyId;
  control: Id;
  action: Id;
}
export type CatalogueKind = keyof CatalogueIds;

export const catalogueWrite = <Kind extends CatalogueKind>(
  org: OrganizationId,
  kind: Kind,
  id: CatalogueIds[Kind],
  entry: Record<string, unknown>,
): Write => ({
  put: { ...catalogueKey(org, kind, id), v: 1, ...entry },
});

export const catalogueRemoval = <Kind extends CatalogueKind>(
  org: OrganizationId,
  kind: Kind,
  id: CatalogueIds[Kind],
): Write => ({
  remove: catalogueKey(org, kind, id),
});

/** The entries of a kind by id, with their derived facts. */
type Catalogue<Kind extends CatalogueKind> = Map<CatalogueIds[Kind], CatalogueEntry<CatalogueIds[Kind]>>;

/** Reads all entries of a kind, in one Query per MB of them. */
export const readCatalogue = async <Kind extends CatalogueKind>(
  table: Table,
  org: OrganizationId,
  kind: Kind,
): Promise<Catalogue<Kind>> => (await readCatalogues(table, org, [kind]))[kind];

/** Reads all entries of several kinds, in one call per MB of them. */
export async function readCatalogues<Kind extends CatalogueKind>(
  table: Table,
  org: OrganizationId,
  kinds: readonly Kind[],
): Promise<{ [One in Kind]: Catalogue<One> }> {
  const found = await table.queryEach(kinds.map((kind) => ({ pk: cataloguePartition(org, kind) })));
  return Object.fromEntries(kinds.map((kind, i) => [kind, catalogueOf(found[i] ?? [])])) as {
    [One in Kind]: Catalogue<One>;
  };
}

function catalogueOf<Kind extends CatalogueKind>(items: readonly Item[]): Catalogue<Kind> {
  const entries: Catalogue<Kind> = new Map();
  const activity = new Map<CatalogueIds[Kind], Item>();
  for (const item of items) {
    const [name = '', derived] = item.sk.split('#');
    const id = storedId<CatalogueIds[Kind]>(name);
    if (derived === undefined) entries.set(id, { id, entry: item, activity: undefined });
    else activity.set(id, item);
  }
  for (const [id, item] of activity) {
    const entry = entries.get(id);
    if (entry) entry.activity = item;
  }
  return entries;
}

export interface CatalogueEntry<Kind extends Id = Id> {
  id: Kind;
  entry: Item;
  activity: Item | undefined;
}
