import * as z from 'zod';
import { EnvironmentId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import { readBody, StoredBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';

import { EnvironmentName } from '#shared/evidence/rules/shared-fields.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import { readTags } from '#shared/series/tag-items.ts';
import type { Unreadable } from '#shared/series/unreadable.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import { EnvironmentEntry, EnvironmentFacts, EnvironmentHead } from './environment-records.ts';
import {
  environmentFactsKey,
  environmentHeadKey,
  environmentNameKey,
  environmentPartition,
  environmentTagsKey,
} from './keys.ts';

/** The item of a name: whose it is, and whether as the present one or as an alias that another may take. */
const NameItem = z.object({ environment: EnvironmentId, current: z.boolean() });
/** `rev` counts the writes of the item: whoever changes the facts states the one that was read. */
const FactsItem = z.object({ facts: StoredBody, rev: z.number() });

export const NO_ENVIRONMENT_FACTS: EnvironmentFacts = { description: '', requireProvenance: false };

/** Everything of an environment that its record shows. */
export interface Environment {
  head: EnvironmentHead;
  facts: EnvironmentFacts;
  /** How often the facts were written; 0 = never. */
  factsRev: number;
  tags: Record<string, string>;
  /** What the catalogue says of it; null once it is archived. */
  entry: EnvironmentEntry | null;
}

/** Whether anything can have this name: others are unknown without a look, and never enter a key (semantics §1.2). */
export const isEnvironmentName = (name: string): boolean => EnvironmentName.safeParse(name).success;

/** Names that led to an environment before. A hint is believed only if what is read by it still has that very name. */
const hints = memoryOf<EnvironmentId>('environment name');
const hintKey = (org: OrganizationId, name: string): string => `${org}#${name}`;

/** An archived environment's name may be another's by now: it is never remembered, nor believed by a hint. */
const believes = (head: EnvironmentHead, name: string): boolean => head.name === name && head.archived === null;

function remember(org: OrganizationId, head: EnvironmentHead): void {
  if (head.archived !== null) return;
  hints.set(hintKey(org, head.name), head.id);
}

/**
 * An environment by its present name or an alias; one that is archived keeps its names until others take them, and is
 * found with `archived` set (semantics §5.1, §14). One read where a remembered name leads to it, two otherwise (design
 * §5).
 */
export async function findEnvironment(
  table: Table,
  org: OrganizationId,
  name: string,
): Promise<EnvironmentHead | null> {
  return findBy(
    org,
    name,
    table,
    (id) => readEnvironmentHead(table, org, id),
    (head) => head,
  );
}

/** Everything of an environment by name, found as {@link findEnvironment} finds it and in as many reads. */
export async function readEnvironmentByName(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  name: string,
): Promise<Environment | null> {
  return findBy(
    org,
    name,
    table,
    (id) => readEnvironment(table, objects, org, id),
    ({ head }) => head,
  );
}

/**
 * An environment by name and, beside its head, what lies under its id: with a remembered name at once, otherwise after
 * the name (design §5). What is read beside counts only with the head.
 */
export async function readBesideEnvironment<T>(
  table: Table,
  org: OrganizationId,
  name: string,
  read: (environment: EnvironmentId) => Promise<T>,
): Promise<{ head: EnvironmentHead; beside: T } | null> {
  return findBy(
    org,
    name,
    table,
    async (id) => {
      const [head, beside] = await Promise.all([readEnvironmentHead(table, org, id), read(id)]);
      return head && { head, beside };
    },
    ({ head }) => head,
  );
}

async function findBy<T>(
  org: OrganizationId,
  name: string,
  table: Table,
  read: (id: EnvironmentId) => Promise<T | null>,
  headOf: (found: T) => EnvironmentHead,
): Promise<T | null> {
  if (!isEnvironmentName(name)) return null;
  const hinted = hints.get(hintKey(org, name));
  if (hinted !== undefined) {
    const found = await read(hinted);
    if (found && believes(headOf(found), name)) return found;
    hints.forget(hintKey(org, name));
  }
  const item = await table.get(environmentNameKey(org, name));
  const found = item ? await read(NameItem.parse(item).environment) : null;
  if (found) remember(org, headOf(found));
  return found;
}

/** Environments by names, as {@link findEnvironment} finds them; unknown names are left out. Two batches of reads. */
export async function findEnvironments(
  table: Table,
  org: OrganizationId,
  names: readonly string[],
): Promise<Map<string, EnvironmentHead>> {
  const plausible = [...new Set(names)].filter(isEnvironmentName);
  const items = await table.getMany(plausible.map((name) => environmentNameKey(org, name)));
  const ids = new Map<string, EnvironmentId>();
  for (const name of plausible) {
    const item = items.get(keyText(environmentNameKey(org, name)));
    if (item) ids.set(name, NameItem.parse(item).environment);
  }
  const heads = await readEnvironmentHeads(table, org, [...ids.values()]);
  const found = new Map<string, EnvironmentHead>();
  for (const [name, id] of ids) {
    const head = heads.get(id);
    if (head) found.set(name, head);
  }
  return found;
}

export async function readEnvironmentHead(
  table: Table,
  org: OrganizationId,
  id: EnvironmentId,
): Promise<EnvironmentHead | null> {
  const item = await table.get(environmentHeadKey(org, id));
  return item ? EnvironmentHead.parse(item) : null;
}

/** Heads by id; those that are not there are left out. */
export async function readEnvironmentHeads(
  table: Table,
  org: OrganizationId,
  ids: readonly EnvironmentId[],
): Promise<Map<EnvironmentId, EnvironmentHead>> {
  const found = await table.getMany(ids.map((id) => environmentHeadKey(org, id)));
  return new Map([...found.values()].map((item) => EnvironmentHead.parse(item)).map((head) => [head.id, head]));
}

/** The present names of environments, by id: what is read today shows the name of today (design §3, «Names»). */
export async function readEnvironmentNames(
  table: Table,
  org: OrganizationId,
  ids: readonly EnvironmentId[],
): Promise<Map<EnvironmentId, string>> {
  const heads = await readEnvironmentHeads(table, org, ids);
  return new Map([...heads.values()].map(({ id, name }) => [id, name]));
}

/** The same of those that are not archived: what is for an environment, or attached to one, ends with it. */
export async function readUnarchivedNames(
  table: Table,
  org: OrganizationId,
  ids: readonly EnvironmentId[],
): Promise<Map<EnvironmentId, string>> {
  const heads = await readEnvironmentHeads(table, org, ids);
  return new Map([...heads.values()].filter(({ archived }) => archived === null).map(({ id, name }) => [id, name]));
}

const GROUP_PREFIX = 'IN#';

/** Ids of the logical environments that have this one as a member. */
export async function readGroups(table: Table, org: OrganizationId, member: EnvironmentId): Promise<EnvironmentId[]> {
  const items = await table.query({ pk: environmentPartition(org, member), prefix: GROUP_PREFIX });
  return items.map(({ sk }) => storedId(sk.slice(GROUP_PREFIX.length)));
}

/** Everything of an environment whose id is known. */
export async function readEnvironment(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  id: EnvironmentId,
): Promise<Environment | null> {
  const keys = [
    environmentHeadKey(org, id),
    environmentFactsKey(org, id),
    environmentTagsKey(org, id),
    catalogueKey(org, 'environment', id),
  ] as const;
  const found = await table.getMany(keys);
  const [head, facts, tags, entry] = keys.map((key) => found.get(keyText(key)));
  return head ? assemble(objects, org, { head, facts, tags, entry }) : null;
}

/** Everything of many environments, in the order asked; those that are not there are left out. */
export async function readEnvironments(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  listed: readonly { id: EnvironmentId; entry: Item | undefined }[],
): Promise<(Environment | Unreadable<EnvironmentId>)[]> {
  const found = await table.getMany(
    listed.flatMap(({ id }) => [
      environmentHeadKey(org, id),
      environmentFactsKey(org, id),
      environmentTagsKey(org, id),
    ]),
  );
  const read = await Promise.all(
    listed.map(async ({ id, entry }) => {
      const head = found.get(keyText(environmentHeadKey(org, id)));
      if (!head) return undefined;
      const facts = found.get(keyText(environmentFactsKey(org, id)));
      const tags = found.get(keyText(environmentTagsKey(org, id)));
      return assemble(objects, org, { head, facts, tags, entry }).catch((unreadable: unknown) => ({ id, unreadable }));
    }),
  );
  return read.filter((environment) => environment !== undefined);
}

interface Items {
  head: Item;
  facts: Item | undefined;
  tags: Item | undefined;
  entry: Item | undefined;
}

async function assemble(objects: Objects, org: OrganizationId, items: Items): Promise<Environment> {
  const { facts, rev } = items.facts ? FactsItem.parse(items.facts) : { facts: undefined, rev: 0 };
  return {
    head: EnvironmentHead.parse(items.head),
    facts: facts ? await readFacts(objects, org, facts) : NO_ENVIRONMENT_FACTS,
    factsRev: rev,
    tags: readTags(items.tags),
    entry: items.entry ? EnvironmentEntry.parse(items.entry) : null,
  };
}

async function readFacts(objects: Objects, org: OrganizationId, body: StoredBody): Promise<EnvironmentFacts> {
  const text = await readBody(objects, org, body);
  return text === null ? NO_ENVIRONMENT_FACTS : EnvironmentFacts.parse(JSON.parse(text));
}

/** The tags of environments, by id; those without any are left out. */
export async function readEnvironmentTags(
  table: Table,
  org: OrganizationId,
  ids: readonly EnvironmentId[],
): Promise<Map<EnvironmentId, Record<string, string>>> {
  const found = await table.getMany(ids.map((id) => environmentTagsKey(org, id)));
  const tags = new Map<EnvironmentId, Record<string, string>>();
  for (const id of ids) {
    const item = found.get(keyText(environmentTagsKey(org, id)));
    if (item) tags.set(id, readTags(item));
  }
  return tags;
}
