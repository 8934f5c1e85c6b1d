import { type EnvironmentId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { readBody, type StoredBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import { readTags } from '#shared/series/tag-items.ts';
import type { Unreadable } from '#shared/series/unreadable.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import { ENVIRONMENTS } from '../rules/series-kinds.ts';
import {
  EnvironmentEntry,
  EnvironmentFacts,
  EnvironmentHead,
  FactsItem,
  namedEnvironments,
} from './environment-records.ts';
import { environmentFactsKey, environmentHeadKey, environmentPartition, environmentTagsKey } from './keys.ts';

export const NO_ENVIRONMENT_FACTS: EnvironmentFacts = { description: '', requireProvenance: false };

export interface Environment {
  head: EnvironmentHead;
  facts: EnvironmentFacts;
  /** The facts as they are stored; null = never written. */
  factsItem: FactsItem | null;
  tags: Record<string, string>;
  /** Its entry in the catalogue; null once it is archived. */
  entry: EnvironmentEntry | null;
}

/**
 * Finds an environment by its present name or an alias (rules/environments.md#names). An archived environment keeps its
 * names until others take them, so the head may have `archived` set. Costs one read if the name is remembered, else two
 * (rules/environments.md#budgets).
 */
export const findEnvironment = (
  table: Table,
  org: OrganizationId,
  name: EnvironmentName,
): Promise<EnvironmentHead | null> => namedEnvironments.find(table, org, name);

/** Reads the whole record of an environment by name, like {@link findEnvironment} and in as many reads. */
export const readEnvironmentByName = (table: Table, objects: Objects, org: OrganizationId, name: EnvironmentName) =>
  namedEnvironments.read(
    table,
    org,
    name,
    (id) => readEnvironment(table, objects, org, id),
    ({ head }) => head,
  );

/**
 * Finds an environment by name and reads further data by its id, in parallel with the head. If the name is remembered,
 * all reads start at once; otherwise they start when the id is known (rules/environments.md#budgets).
 * @param read reads the further data
 */
export const readWithEnvironment = <T>(
  table: Table,
  org: OrganizationId,
  name: EnvironmentName,
  read: (environment: EnvironmentId) => Promise<T>,
): Promise<{ head: EnvironmentHead; beside: T } | null> =>
  namedEnvironments.read(
    table,
    org,
    name,
    async (id) => {
      const [head, beside] = await Promise.all([readEnvironmentHead(table, org, id), read(id)]);
      return head && { head, beside };
    },
    ({ head }) => head,
  );

/** Finds environments by names, like {@link findEnvironment}; unknown names are left out. Costs two batches. */
export async function findEnvironments(table: Table, org: OrganizationId, names: readonly EnvironmentName[]) {
  const ids = await namedEnvironments.findIds(table, org, names);
  const heads = await readEnvironmentHeads(table, org, [...ids.values()]);
  const found = new Map<EnvironmentName, EnvironmentHead>();
  for (const [name, id] of ids) {
    const head = heads.get(id);
    if (head) found.set(name, head);
  }
  return found;
}

export const readEnvironmentHead = (
  table: Table,
  org: OrganizationId,
  id: EnvironmentId,
): Promise<EnvironmentHead | null> => namedEnvironments.readHead(table, org, id);

/** Reads heads by id; ids without an environment are left out. */
export const readEnvironmentHeads = (
  table: Table,
  org: OrganizationId,
  ids: readonly EnvironmentId[],
): Promise<Map<EnvironmentId, EnvironmentHead>> => namedEnvironments.readHeads(table, org, ids);

/** Reads the present names of environments, by id. @param counts selects environments; all, also archived ones, without it */
export async function readEnvironmentNames(
  table: Table,
  org: OrganizationId,
  ids: readonly EnvironmentId[],
  counts: (head: EnvironmentHead) => boolean = () => true,
) {
  const heads = await readEnvironmentHeads(table, org, ids);
  return new Map([...heads.values()].filter(counts).map(({ id, name }) => [id, name]));
}

const GROUP_PREFIX = 'IN#';

/** Reads the ids of the logical environments that have this one as a member. */
export async function readGroups(table: Table, org: OrganizationId, member: EnvironmentId): Promise<EnvironmentId[]> {
  const items = await table.query({ pk: environmentPartition(org, member), prefix: GROUP_PREFIX });
  return items.map(({ sk }) => storedId(sk.slice(GROUP_PREFIX.length)));
}

async function readEnvironment(table: Table, objects: Objects, org: OrganizationId, id: EnvironmentId) {
  const keys = [
    environmentHeadKey(org, id),
    environmentFactsKey(org, id),
    environmentTagsKey(org, id),
    catalogueKey(org, ENVIRONMENTS.name, id),
  ] as const;
  const found = await table.getMany(keys);
  const [head, facts, tags, entry] = keys.map((key) => found.get(keyText(key)));
  return head ? assemble(objects, org, { head, facts, tags, entry }) : null;
}

/**
 * Reads entries of the catalogue by id, 100 with one call. Leaves out those that are archived or cannot be read.
 */
export async function readEntries(table: Table, org: OrganizationId, ids: readonly EnvironmentId[]) {
  const found = await table.getMany(ids.map((id) => catalogueKey(org, ENVIRONMENTS.name, id)));
  return [...found.values()].flatMap((item) => EnvironmentEntry.safeParse(item).data ?? []);
}

/** Reads the heads of environments in the order given, 100 with one call. Leaves out missing ones, marks unreadable ones. */
export async function readListedHeads(
  table: Table,
  org: OrganizationId,
  ids: readonly EnvironmentId[],
): Promise<(EnvironmentHead | Unreadable<EnvironmentId>)[]> {
  const found = await table.getMany(ids.map((id) => environmentHeadKey(org, id)));
  return ids.flatMap((id) => {
    const item = found.get(keyText(environmentHeadKey(org, id)));
    if (!item) return [];
    const { data, error } = EnvironmentHead.safeParse(item);
    return data ?? { id, unreadable: error };
  });
}

interface Items {
  head: Item;
  facts: Item | undefined;
  tags: Item | undefined;
  entry: Item | undefined;
}

async function assemble(objects: Objects, org: OrganizationId, items: Items): Promise<Environment> {
  const factsItem = items.facts ? FactsItem.parse(items.facts) : null;
  return {
    head: EnvironmentHead.parse(items.head),
    facts: factsItem ? await readFacts(objects, org, factsItem.facts) : NO_ENVIRONMENT_FACTS,
    factsItem,
    tags: readTags(items.tags),
    entry: items.entry ? EnvironmentEntry.parse(items.entry) : null,
  };
}

export async function readFacts(objects: Objects, org: OrganizationId, body: StoredBody): Promise<EnvironmentFacts> {
  const text = await readBody(objects, org, body);
  return text === null ? NO_ENVIRONMENT_FACTS : EnvironmentFacts.parse(JSON.parse(text));
}
