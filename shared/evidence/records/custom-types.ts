import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import { readBodyOnce, StoredBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import type { Unreadable } from '#shared/series/unreadable.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import { TYPES } from '../rules/series-kinds.ts';
import { CustomTypeName } from '../rules/shared-fields.ts';
import { typeHeadKey, typePartition, typeVersionKey } from './keys.ts';

/** The content of one version of a type. It is stored as one body, because its parts change together. */
export const TypeContent = z.object({
  /** JSON text of the schema; null accepts any data. */
  schema: z.string().nullable(),
  /** jq programs that must all give `true`. Without rules every report is compliant. */
  rules: z.array(z.string()),
  /** Rows of the data that are shown, in order. */
  summary: z.array(z.object({ name: z.string(), expression: z.string() })).nullable(),
});
export type TypeContent = z.infer<typeof TypeContent>;

/**
 * The head of a type. It includes the latest content, so that attesting reads one item
 * (rules/attestations.md#type-record).
 */
export const TypeHead = z.object({
  id: z.string(),
  name: z.string(),
  /** Null if never given. */
  description: z.string().nullable(),
  created: StoredMicros,
  by: z.string(),
  modified: StoredMicros,
  archived: StoredMicros.nullable(),
  /** Number of the latest version; versions are numbered from 1 without gaps. */
  latest: z.number(),
  content: StoredBody,
  /** Number of changes. A writer's condition names the number that it read. */
  rev: z.number(),
});
export type TypeHead = z.infer<typeof TypeHead>;

const VersionItem = z.object({ number: z.number(), at: StoredMicros, by: z.string(), content: StoredBody });

/** How exports show types and their versions. */
export const SHOWN_TYPE = { item: 'type', schema: TypeHead };
export const SHOWN_VERSION = { item: 'version', schema: VersionItem };

export interface TypeVersion {
  number: number;
  at: Micros;
  by: string;
  content: TypeContent;
}

export interface CustomType<V = TypeVersion> {
  head: TypeHead;
  /** Newest first. */
  versions: V[];
}

/** A version without its content. */
export type VersionOutline = Omit<TypeVersion, 'content'>;

/**
 * A name outside the pattern is unknown. It is not looked up, because it must not become part of a key
 * (rules/requests.md#names).
 */
const isPlausible = (name: string): boolean => CustomTypeName.safeParse(name).success;

export async function readTypeHead(table: Table, org: OrganizationId, name: string): Promise<TypeHead | null> {
  if (!isPlausible(name)) return null;
  const item = await table.get(typeHeadKey(org, name));
  return item ? TypeHead.parse(item) : null;
}

/**
 * Reads what judges a report: the parsed schema and the rules of the latest version of a type. One read, and one more if the
 * content lies in the bucket.
 */
export async function readTypeForAttesting(table: Table, objects: Objects, org: OrganizationId, name: string) {
  const head = await readTypeHead(table, org, name);
  if (!head) return null;
  const { schema: text, rules } = await readContent(objects, org, head.content);
  const schema: unknown = text === null ? null : JSON.parse(text);
  return { version: head.latest, archived: head.archived !== null, schema, rules };
}

/** Reads a type with all its versions in one Query. */
export async function readType(table: Table, objects: Objects, org: OrganizationId, name: string) {
  if (!isPlausible(name)) return null;
  const items = await table.query({ pk: typePartition(org, name) });
  return assemble(items, (item) => readVersion(objects, org, item));
}

/** Reads listed types with all their versions. A type that cannot be read becomes a placeholder. */
export const readTypes = (table: Table, objects: Objects, org: OrganizationId, names: readonly string[]) =>
  readEachType(table, org, names, (item) => readVersion(objects, org, item));

/** Reads {@link readTypes} without the contents of the versions, which may lie in the bucket. */
export const readTypeOutlines = (table: Table, org: OrganizationId, names: readonly string[]) =>
  readEachType(table, org, names, (item) => {
    const { number, at, by } = VersionItem.parse(item);
    return { number, at, by };
  });

async function readEachType<V extends VersionOutline>(
  table: Table,
  org: OrganizationId,
  names: readonly string[],
  toVersion: (item: Item) => V | Promise<V>,
): Promise<(CustomType<V> | Unreadable<string>)[]> {
  const found = await table.queryEach(names.map((name) => ({ pk: typePartition(org, name) })));
  const types = await Promise.all(
    names.map((id, i) =>
      assemble(found[i] ?? [], toVersion).catch((unreadable: unknown): Unreadable<string> => ({ id, unreadable })),
    ),
  );
  return types.filter((type) => type !== null);
}

/** Makes a type of the items of its partition; null if it has none. */
async function assemble<V extends VersionOutline>(
  [first, ...rest]: readonly Item[],
  toVersion: (item: Item) => V | Promise<V>,
): Promise<CustomType<V> | null> {
  if (!first) return null;
  const head = TypeHead.parse(first);
  // The Query returns the head first. A version above `latest` was written during the Query and is left out.
  const versions = await Promise.all(rest.map(toVersion));
  return { head, versions: versions.filter(({ number }) => number <= head.latest).reverse() };
}

/**
 * Reads a type with one of its versions.
 *
 * @returns null if the type does not exist; `versions` is empty if it has no version of this number
 */
export async function readTypeVersion(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  name: string,
  number: number,
): Promise<CustomType | null> {
  if (!isPlausible(name)) return null;
  const keys = { head: typeHeadKey(org, name), version: typeVersionKey(org, name, number) };
  const found = await table.getMany([keys.head, keys.version]);
  const [head, version] = [found.get(keyText(keys.head)), found.get(keyText(keys.version))];
  if (!head) return null;
  return { head: TypeHead.parse(head), versions: version ? [await readVersion(objects, org, version)] : [] };
}

/**
 * Reads the rules of versions of types in one batch. Versions whose content was erased are left out.
 *
 * @returns the jq programs by `name#version`
 */
export async function readVersionRules(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  versions: readonly { name: string; version: number }[],
): Promise<Map<string, readonly string[]>> {
  const keys = new Map(versions.map(({ name, version }) => [`${name}#${version}`, typeVersionKey(org, name, version)]));
  if (keys.size === 0) return new Map();
  const found = await table.getMany([...keys.values()]);
  const rules = new Map<string, readonly string[]>();
  await Promise.all(
    [...keys].map(async ([name, key]) => {
      const item = found.get(keyText(key));
      if (!item) return;
      const { content } = VersionItem.parse(item);
      if (content.store !== 'erased') rules.set(name, (await readContent(objects, org, content)).rules);
    }),
  );
  return rules;
}

async function readVersion(objects: Objects, org: OrganizationId, item: Item): Promise<TypeVersion> {
  const { number, at, by, content } = VersionItem.parse(item);
  return { number, at, by, content: await readContent(objects, org, content) };
}

/**
 * Reads the names of the types of an organization, sorted (rules/lists.md#catalogues).
 *
 * @param archived whether archived types are included
 * @param search only names that contain this text, in upper or lower case
 */
export async function readTypeNames(
  table: Table,
  org: OrganizationId,
  { archived, search }: { archived: boolean; search: string },
): Promise<string[]> {
  const text = search.toLowerCase();
  return [...(await readCatalogue(table, org, TYPES)).values()]
    .filter(({ entry }) => archived || entry['archived'] !== true)
    .map(({ entry }) => String(entry['n']))
    .filter((name) => name.toLowerCase().includes(text))
    .sort();
}

/** Every report of a type needs the content, and its schema may be large. */
const remembered = memoryOf<TypeContent>('type content');

/** @throws Error if the content was erased */
export async function readContent(objects: Objects, org: OrganizationId, body: StoredBody): Promise<TypeContent> {
  const content = await readBodyOnce(remembered, objects, org, body, (text) => TypeContent.parse(JSON.parse(text)));
  // Without its content a type cannot give a verdict, neither true nor false.
  if (content === null) throw new Error('The content of this custom type was erased');
  return content;
}
