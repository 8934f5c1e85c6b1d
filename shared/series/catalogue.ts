import type { Id, OrganizationId } from '#shared/base/ids.ts';
import type { Item, Table, Write } from '#shared/table/table.ts';
import { catalogueKey, cataloguePartition } from './keys.ts';

/**
 * Catalogues: lists of the kinds of record of which an organization has at most some ten thousand. Search and sort read
 * all small entries; only the records of the page are read completely (rules/lists.md#catalogues). The domain that owns
 * the records states their kind.
 */
export interface CatalogueKind<Of extends Id = Id> {
  /** A part of the keys of the entries. */
  readonly name: string;
  /** Returns the id of a record from its stored text. */
  readonly id: (stored: string) => Of;
}

export const catalogueWrite = <Of extends Id>(
  org: OrganizationId,
  kind: CatalogueKind<Of>,
  id: Of,
  entry: Record<string, unknown>,
): Write => ({
  put: { ...catalogueKey(org, kind.name, id), v: 1, ...entry },
});

export const catalogueRemoval = <Of extends Id>(org: OrganizationId, kind: CatalogueKind<Of>, id: Of): Write => ({
  remove: catalogueKey(org, kind.name, id),
});

/** The entries of a kind by id, with their derived facts. */
export type Catalogue<Of extends Id> = Map<Of, CatalogueEntry<Of>>;

/** Reads all entries of a kind, in one Query per MB of them. */
export const readCatalogue = async <Of extends Id>(
  table: Table,
  org: OrganizationId,
  kind: CatalogueKind<Of>,
): Promise<Catalogue<Of>> => (await readCatalogues(table, org, { kind })).kind;

/** Reads all entries of several kinds, in one call per MB of them. @returns the catalogues under the names of `kinds` */
export async function readCatalogues<Kinds extends Record<string, CatalogueKind>>(
  table: Table,
  org: OrganizationId,
  kinds: Kinds,
): Promise<{ [Name in keyof Kinds]: Catalogue<ReturnType<Kinds[Name]['id']>> }> {
  const listed = Object.entries(kinds);
  const found = await table.queryEach(listed.map(([, kind]) => ({ pk: cataloguePartition(org, kind.name) })));
  // The entries of each kind stand under its name, with ids of this kind. The type of `fromEntries` does not say so.
  return Object.fromEntries(listed.map(([name, kind], i) => [name, catalogueOf(kind, found[i] ?? [])])) as {
    [Name in keyof Kinds]: Catalogue<ReturnType<Kinds[Name]['id']>>;
  };
}

function catalogueOf<Of extends Id>(kind: CatalogueKind<Of>, items: readonly Item[]): Catalogue<Of> {
  const entries: Catalogue<Of> = new Map();
  const activity = new Map<Of, Item>();
  for (const item of items) {
    const [name = '', derived] = item.sk.split('#');
    const id = kind.id(name);
    if (derived === undefined) entries.set(id, { id, entry: item, activity: undefined });
    else activity.set(id, item);
  }
  for (const [id, item] of activity) {
    const entry = entries.get(id);
    if (entry) entry.activity = item;
  }
  return entries;
}

export interface CatalogueEntry<Of extends Id = Id> {
  id: Of;
  entry: Item;
  activity: Item | undefined;
}
