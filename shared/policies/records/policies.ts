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

/** One version of a policy; its text lies in `body`: {@link readTexts}. */
export interface PolicyVersion extends Omit<PolicyVersionItem, 'sk'> {
  /** From 1 on, without gaps. */
  number: number;
}

/** A policy with everything that readers see of it, but for the texts. */
export interface Policy {
  head: PolicyHead;
  /** Oldest first; at least one. */
  versions: PolicyVersion[];
  /** Ids of the environments that it is attached to, ascending. */
  environments: EnvironmentId[];
}

const PolicyNameItem = z.object({ policy: PolicyId });

/** Names outside the pattern are unknown without a look, and never enter a key (semantics §1.2). */
const isPlausible = (name: string): boolean => PolicyName.safeParse(name).success;

/** Policies are neither renamed nor deleted (semantics §6.2): a name that led to one leads there for ever. */
const hints = memoryOf<PolicyId>('policy name');
const remember = (org: OrganizationId, { id, name }: PolicyHead): void => hints.set(`${org}#${name}`, id);

/** The ids that names stand for: one read for all that nothing is remembered of. Names that no policy has are left out. */
async function findIds(table: Table, org: OrganizationId, names: readonly string[]): Promise<Map<string, PolicyId>> {
  const plausible = [...new Set(names)].filter(isPlausible);
  // Looked up once: what is remembered now may be gone after the read.
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

/** A policy's head by name; null where no policy has it. */
export const findPolicy = async (table: Table, org: OrganizationId, name: string): Promise<PolicyHead | null> =>
  (await findPolicies(table, org, [name])).get(name) ?? null;

/** The heads of policies by their names, in at most two reads; names that no policy has are left out. */
export async function findPolicies(
  table: Table,
  org: OrganizationId,
  names: readonly string[],
): Promise<Map<string, PolicyHead>> {
  const ids = await findIds(table, org, names);
  const heads = await readPolicyHeads(table, org, [...ids.values()]);
  return new Map([...heads.values()].map((head) => [head.name, head]));
}

/** The heads of policies whose ids are known, by id: name, and number of the newest version. */
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

/** The newest version of a policy whose head was read. @throws Error where it is not there, which no writer leaves so */
export async function readNewestVersion(
  table: Table,
  org: OrganizationId,
  { id, version }: PolicyHead,
): Promise<PolicyVersion> {
  const item = await table.get(policyVersionKey(org, id, version));
  if (!item) throw new Error(`Policy ${id} has no version ${version}`);
  return versionOf(item);
}

/** By policy and version, so that nothing is read to find out what is remembered. */
const contents = memoryOf<PolicyContent>('policy content');

/**
 * What a version of a policy asks for. Read once, then remembered.
 * @throws Error where there is no such version, or its text was erased: nothing can be judged by it
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

/** A policy by name with all its versions: the name, unless it is remembered, then the policy. */
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
  // The head comes first: a version that it does not count yet was written while the others were read.
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

/** A policy that could not be read: lists show a placeholder in its place, and the log why (house style 17). */
export interface UnreadablePolicy {
  name: string;
  unreadable: unknown;
}

const POLICIES_AT_ONCE = 16;

/** The policies of an organization by name, in order, each with every version (the list: design §4.3). */
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

/** The texts of a policy's versions as they were given, in their order; a text that was erased is empty. */
export const readTexts = (
  objects: Objects,
  org: OrganizationId,
  { versions }: Pick<Policy, 'versions'>,
): Promise<string[]> =>
  inParallel(versions, TEXTS_AT_ONCE, async ({ body }) => (await readBody(objects, org, body)) ?? '');
