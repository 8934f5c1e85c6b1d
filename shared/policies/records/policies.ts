import * as z from 'zod';
import { type EnvironmentId, type OrganizationId, PolicyId, storedId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { EnvironmentName as PolicyName } from '#shared/evidence/rules/shared-fields.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import { type PolicyContent, readStoredPolicy } from '../rules/policy.ts';
import { policyHeadKey, policyNameKey, policyPartition, policyVersionKey } from './keys.ts';
import { PolicyHead, PolicyVersionItem } from './policy-records.ts';

/** One version of a policy. {@link readTexts} reads the text that `body` points to. */
export interface PolicyVersion extends Omit<PolicyVersionItem, 'sk'> {
  /** From 1 on, without gaps. */
  number: number;
}

/** A policy with all that readers see, without the texts. */
export interface Policy {
  head: PolicyHead;
  /** Oldest first; at least one. */
  versions: PolicyVersion[];
  /** Ids of the environments that it is attached to, ascending. */
  environments: EnvironmentId[];
}

const PolicyNameItem = z.object({ policy: PolicyId });

/** A name outside the pattern is unknown. It is not looked up and never becomes part of a key. */
const isPlausible = (name: string): boolean => PolicyName.safeParse(name).success;

/** Policies are neither renamed nor deleted (`rules/policies.md#policy-record`), so a remembered id stays right. */
const hints = memoryOf<PolicyId>('policy name');
const remember = (org: OrganizationId, { id, name }: PolicyHead): void => hints.set(`${org}#${name}`, id);

/**
 * Finds the ids of policies by name, with one read for the names that are not remembered. Unknown names are left out.
 */
async function findIds(table: Table, org: OrganizationId, names: readonly string[]): Promise<Map<string, PolicyId>> {
  const plausible = [...new Set(names)].filter(isPlausible);
  // The memory is read once, because it may drop an entry during the read of the table.
  const known = new Map(plausible.map((name) => [name, hints.get(`${org}#${name}`)]));
  const unknown = plausible.filter((name) => known.get(name) === undefined);
  const found = await table.getMany(unknown.map((name) => policyNameKey(org, name)));
  const idOf = (name: string) => known.get(name) ?? idIn(found.get(keyText(policyNameKey(org, name))));
  return new Map(
    plausible.flatMap((name): [string, PolicyId][] => {
      const id = idOf(name);
      return id === undefined ? [] : [[name, id]];
    }),
  );
}

const idIn = (item: Item | undefined): PolicyId | undefined => item && PolicyNameItem.parse(item).policy;

/** Reads the head of a policy by name; null if no policy has the name. */
export const findPolicy = async (table: Table, org: OrganizationId, name: string): Promise<PolicyHead | null> =>
  (await findPolicies(table, org, [name])).get(name) ?? null;

/** Reads the heads of policies, by name, in at most two reads. Names that no policy has are left out. */
export async function findPolicies(
  table: Table,
  org: OrganizationId,
  names: readonly string[],
): Promise<Map<string, PolicyHead>> {
  const ids = await findIds(table, org, names);
  const heads = await readPolicyHeads(table, org, [...ids.values()]);
  return new Map([...heads.values()].map((head) => [head.name, head]));
}

/** Reads the heads of policies, by id. */
export async function readPolicyHeads(
  table: Table,
  org: OrganizationId,
  ids: readonly PolicyId[],
): Promise<Map<PolicyId, PolicyHead>> {
  const found = await table.getMany(ids.map((id) => policyHeadKey(org, id)));
  const heads = [...found.values()].map((item) => PolicyHead.parse(item));
  for (const head of heads) remember(org, head);
  return new Map(heads.map((head) => [head.id, head]));
}

/** Reads the newest version of a policy. @throws Error if the version does not exist, which no writer can cause */
export async function readNewestVersion(
  table: Table,
  org: OrganizationId,
  { id, version }: PolicyHead,
): Promise<PolicyVersion> {
  const item = await table.get(policyVersionKey(org, id, version));
  if (!item) throw new Error(`Policy ${id} has no version ${version}`);
  return versionOf(item);
}

/** Parsed policies by id and version. A version never changes, so an entry stays right. */
const contents = memoryOf<PolicyContent>('policy content');

/**
 * Reads the content of a version of a policy. The content is remembered after the first read.
 * @throws Error if the version does not exist or its text was erased; then nothing can be evaluated with it
 */
export async function readPolicyContent(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  policy: PolicyId,
  version: number,
): Promise<PolicyContent> {
  const key = `${org}#${policy}#${version}`;
  const known = contents.get(key);
  if (known) return known;
  const item = await table.get(policyVersionKey(org, policy, version));
  if (!item) throw new Error(`Policy ${policy} has no version ${version}`);
  const text = await readBody(objects, org, PolicyVersionItem.parse(item).body);
  if (text === null) throw new Error(`The text of version ${version} of policy ${policy} was erased`);
  const content = readStoredPolicy(text);
  contents.set(key, content, text.length);
  return content;
}

/**
 * Reads a policy by name with all its versions; null if no policy has the name. Two reads, or one for a remembered
 * name.
 */
export async function readPolicyByName(table: Table, org: OrganizationId, name: string): Promise<Policy | null> {
  const id = (await findIds(table, org, [name])).get(name);
  return id === undefined ? null : readPolicyById(table, org, id);
}

async function readPolicyById(table: Table, org: OrganizationId, id: PolicyId): Promise<Policy | null> {
  const items = await table.query({ pk: policyPartition(org, id) });
  const headItem = items.find(({ sk }) => sk === 'HEAD');
  if (!headItem) return null;
  const head = PolicyHead.parse(headItem);
  remember(org, head);
  // The query reads the head first. A version with a greater number was written during the query, so it is left out.
  const versions = items.filter(({ sk }) => sk.startsWith(VERSION)).map(versionOf);
  return {
    head,
    versions: versions.filter(({ number }) => number <= head.version),
    environments: items
      .filter(({ sk }) => sk.startsWith(ENVIRONMENT))
      .map(({ sk }) => storedId(sk.slice(ENVIRONMENT.length))),
  };
}

const VERSION = 'V#';
const ENVIRONMENT = 'E#';

function versionOf(item: Item): PolicyVersion {
  const { sk, ...version } = PolicyVersionItem.parse(item);
  return { ...version, number: Number.parseInt(sk.slice(VERSION.length), 10) };
}

/**
 * A policy that cannot be parsed. Lists show a placeholder, the log has the cause
 * (`rules/lists.md#unreadable-records`).
 */
export interface UnreadablePolicy {
  name: string;
  unreadable: unknown;
}

const POLICIES_AT_ONCE = 16;

/** Reads the policies of an organization with all their versions, sorted by name (`rules/lists.md#catalogues`). */
export async function readPolicies(table: Table, org: OrganizationId): Promise<(Policy | UnreadablePolicy)[]> {
  const entries = [...(await readCatalogue(table, org, 'policy')).values()];
  const listed = entries.map(({ id, entry }) => ({ id, name: String(entry['n']) }));
  const inOrder = listed.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const read = await inParallel(inOrder, POLICIES_AT_ONCE, ({ id, name }) =>
    readPolicyById(table, org, id).catch((unreadable: unknown) => ({ name, unreadable })),
  );
  return read.filter((policy) => policy !== null);
}

const TEXTS_AT_ONCE = 8;

/**
 * Reads the texts of a policy's versions as they were uploaded, in the order of the versions. An erased text is empty.
 */
export const readTexts = (
  objects: Objects,
  org: OrganizationId,
  { versions }: Pick<Policy, 'versions'>,
): Promise<string[]> =>
  inParallel(versions, TEXTS_AT_ONCE, async ({ body }) => (await readBody(objects, org, body)) ?? '');
