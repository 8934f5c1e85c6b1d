import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import type { Micros } from '#shared/base/time.ts';
import { readBodyOnce, StoredBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';

import { readCatalogue } from '#shared/series/catalogue.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import { CustomTypeName } from '../rules/shared-fields.ts';
import { typeHeadKey, typePartition, typeVersionKey } from './keys.ts';

/** What a version of a type asks of data (semantics §4). Kept as one body, since its parts change together. */
export const TypeContent = z.object({
  /** JSON text of the schema; null = any data. */
  schema: z.string().nullable(),
  /** jq programs that must all give `true`; none = every report is compliant. */
  rules: z.array(z.string()),
  /** Rows that are shown of the data, in order. */
  summary: z.array(z.object({ name: z.string(), expression: z.string() })).nullable(),
});
export type TypeContent = z.infer<typeof TypeContent>;

/** All that attesting needs, in one item: the content of the latest version lies here too. */
export const TypeHead = z.object({
  id: z.string(),
  name: z.string(),
  /** Null = never given. */
  description: z.string().nullable(),
  created: z.number(),
  by: z.string(),
  modified: z.number(),
  archived: z.number().nullable(),
  /** Number of the latest version; versions are numbered from 1 without gaps. */
  latest: z.number(),
  content: StoredBody,
  /** Counts the changes: writers state the one they saw. */
  rev: z.number(),
});
export type TypeHead = z.infer<typeof TypeHead>;

export const VersionItem = z.object({ number: z.number(), at: z.number(), by: z.string(), content: StoredBody });

export interface TypeVersion {
  number: number;
  at: Micros;
  by: string;
  content: TypeContent;
}

export interface CustomType {
  head: TypeHead;
  /** Newest first. */
  versions: TypeVersion[];
}

/** A type as its reports are judged. */
export interface TypeForAttesting {
  name: string;
  /** The latest. */
  version: number;
  archived: boolean;
  /** Parsed JSON Schema; null = any data. */
  schema: unknown;
  rules: string[];
}

/** Names outside the pattern are unknown without a look, and never enter a key (semantics §1.2). */
const isPlausible = (name: string): boolean => CustomTypeName.safeParse(name).success;

export async function readTypeHead(table: Table, org: OrganizationId, name: string): Promise<TypeHead | null> {
  if (!isPlausible(name)) return null;
  const item = await table.get(typeHeadKey(org, name));
  return item ? TypeHead.parse(item) : null;
}

/** The latest version of a type, for reports against it: one read, two where its content lies in the bucket. */
export async function readTypeForAttesting(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  name: string,
): Promise<TypeForAttesting | null> {
  const head = await readTypeHead(table, org, name);
  if (!head) return null;
  const { schema, rules } = await readContent(objects, org, head.content);
  return {
    name,
    version: head.latest,
    archived: head.archived !== null,
    schema: schema === null ? null : JSON.parse(schema),
    rules,
  };
}

/** A type with every version, in one Query. */
export async function readType(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  name: string,
): Promise<CustomType | null> {
  if (!isPlausible(name)) return null;
  const [first, ...rest] = await table.query({ pk: typePartition(org, name) });
  if (!first) return null;
  const head = TypeHead.parse(first);
  // The head comes first: a version that it does not count yet was written while the others were read.
  const versions = await Promise.all(rest.map((item) => readVersion(objects, org, item)));
  return { head, versions: versions.filter(({ number }) => number <= head.latest).reverse() };
}

/**
 * A type with one of its versions.
 * @returns null where there is no such type; no versions where it has none of that number
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

async function readVersion(objects: Objects, org: OrganizationId, item: Item): Promise<TypeVersion> {
  const { number, at, by, content } = VersionItem.parse(item);
  return { number, at, by, content: await readContent(objects, org, content) };
}

/** A type that could not be read: lists show a placeholder in its place, and the log why (house style 17). */
export interface UnreadableType {
  name: string;
  unreadable: unknown;
}

/** The types of an organization by name, in order, each with every version (the list: design §4.3). */
export async function readTypes(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  { archived }: { archived: boolean },
): Promise<(CustomType | UnreadableType)[]> {
  const entries = [...(await readCatalogue(table, org, 'type')).values()].map(({ entry }) => entry);
  const names = entries.filter((entry) => archived || entry['archived'] !== true).map((entry) => String(entry['n']));
  const types = await Promise.all(
    names
      .toSorted()
      .map((name) => readType(table, objects, org, name).catch((unreadable: unknown) => ({ name, unreadable }))),
  );
  return types.filter((type) => type !== null);
}

/** Every attestation of a type needs its content, whose schema may be large. */
const remembered = memoryOf<TypeContent>('type content');

export async function readContent(objects: Objects, org: OrganizationId, body: StoredBody): Promise<TypeContent> {
  const content = await readBodyOnce(remembered, objects, org, body, (text) => TypeContent.parse(JSON.parse(text)));
  // Without what it asked for, a type cannot judge anything: neither for nor against.
  if (content === null) throw new Error('The content of this type was erased');
  return content;
}
