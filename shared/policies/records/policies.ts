import { type EnvironmentId, type OrganizationId, PolicyId, storedId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import { type EnvironmentName, storedName } from '#shared/base/names.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { NamedRecords } from '#shared/table/named-records.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { type PolicyContent, readStoredPolicy } from '../rules/policy.ts';
import { PolicyName } from '../rules/policy-name.ts';
import { POLICIES } from '../rules/series-kinds.ts';
import {
  type PolicyItemKey,
  policyHeadKey,
  policyNameKey,
  policyPartition,
  policyVersionKey,
  readPolicyItemKey,
} from './keys.ts';
import { AttachmentItem, PolicyHead, PolicyVersionItem } from './policy-records.ts';

/** One version of a policy. {@link readTexts} reads the text that `body` points to. */
interface PolicyVersion extends Omit<PolicyVersionItem, 'sk'> {
  /** From 1 on, without gaps. */
  number: number;
}

/** A policy with all that readers see, without the texts. */
export interface Policy {
  head: PolicyHead;
  /** Oldest first; at least one. */
  versions: PolicyVersion[];
  /** Present names of the environments that it is attached to. */
  environments: EnvironmentName[];
}

/** How policies are found by name. A policy has no alias (`rules/policies.md#policy-record`). */
const namedPolicies = new NamedRecords<PolicyId, PolicyName, PolicyHead>({
  kind: 'policy',
  id: PolicyId,
  head: PolicyHead,
  nameKey: policyNameKey,
  headKey: policyHeadKey,
  isName: (name) => PolicyName.safeParse(name).success,
  isPermanent: true,
});

const names = memoryOf<PolicyName>('name of policy');

function remember(org: OrganizationId, head: PolicyHead): void {
  namedPolicies.remember(org, head);
  names.set(`${org}#${head.id}`, head.name);
}

/** Above this number of policies, the catalogue is read instead of their heads: it takes fewer calls and units. */
const MOST_HEADS = 20;

/** Reads the names of policies, by id, in one call for those that are not remembered. */
export async function readPolicyNames(table: Table, org: OrganizationId, ids: readonly PolicyId[]) {
  const found = new Map<PolicyId, PolicyName>();
  const unknown = new Set<PolicyId>();
  for (const id of ids) {
    const name = names.get(`${org}#${id}`);
    if (name === undefined) unknown.add(id);
    else found.set(id, name);
  }
  if (unknown.size > MOST_HEADS) {
    for (const [id, { entry }] of await readCatalogue(table, org, POLICIES))
      found.set(id, storedName(String(entry['n'])));
    return found;
  }
  for (const { id, name } of (await readPolicyHeads(table, org, [...unknown])).values()) found.set(id, name);
  return found;
}

/** Reads the head of a policy by name; null if no policy has the name. */
export const findPolicy = async (table: Table, org: OrganizationId, name: PolicyName): Promise<PolicyHead | null> =>
  (await findPolicies(table, org, [name])).get(name) ?? null;

/** Reads the heads of policies, by name, in at most two reads. Names that no policy has are left out. */
export async function findPolicies(table: Table, org: OrganizationId, names: readonly PolicyName[]) {
  const ids = await namedPolicies.findIds(table, org, names);
  const heads = await readPolicyHeads(table, org, [...ids.values()]);
  return new Map([...heads.values()].map((head) => [head.name, head]));
}

/** Reads the heads of policies, by id. */
export async function readPolicyHeads(table: Table, org: OrganizationId, ids: readonly PolicyId[]) {
  const heads = await namedPolicies.readHeads(table, org, ids);
  for (const head of heads.values()) remember(org, head);
  return heads;
}

/** Reads the newest version of a policy. @throws Error if the version does not exist, which no writer can cause */
export async function readNewestVersion(table: Table, org: OrganizationId, { id, version }: PolicyHead) {
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
 * Reads a policy by name with all its versions and environments; null if no policy has the name. Two calls, or one for a
 * remembered name, and one more per MB.
 */
export async function readPolicyByName(table: Table, org: OrganizationId, name: PolicyName): Promise<Policy | null> {
  const id = (await namedPolicies.findIds(table, org, [name])).get(name);
  if (id === undefined) return null;
  const [head, ...others] = await table.query({ pk: policyPartition(org), prefix: id });
  return head ? policyOf(org, head, others) : null;
}

/** Reads the ids of the environments that a policy is attached to. */
export async function readAttachments(table: Table, org: OrganizationId, policy: PolicyId): Promise<EnvironmentId[]> {
  const items = await table.query({ pk: policyPartition(org), prefix: `${policy}#E#` });
  return items.map(({ sk }) => storedId(readPolicyItemKey(sk).rest));
}

/** Joins the items of a policy. A version that was written after the head was read is left out. */
function policyOf(org: OrganizationId, headItem: Item, others: readonly Item[]): Policy {
  const head = PolicyHead.parse(headItem);
  remember(org, head);
  const of = (kind: PolicyItemKey['kind']) => others.filter(({ sk }) => readPolicyItemKey(sk).kind === kind);
  return {
    head,
    versions: of('V')
      .map(versionOf)
      .filter(({ number }) => number <= head.version),
    environments: of('E').map((item) => AttachmentItem.parse(item).name),
  };
}

function versionOf(item: Item): PolicyVersion {
  const { sk, ...version } = PolicyVersionItem.parse(item);
  return { ...version, number: Number.parseInt(readPolicyItemKey(sk).rest, 10) };
}

/**
 * A policy that cannot be parsed. Lists show a placeholder, the log has the cause
 * (`rules/lists.md#unreadable-records`).
 */
export interface UnreadablePolicy {
  name: string;
  unreadable: unknown;
}

/** Reads the policies of an organization with all their versions, sorted by name, in one call per MB of them. */
export async function readPolicies(table: Table, org: OrganizationId): Promise<(Policy | UnreadablePolicy)[]> {
  const items = await table.query({ pk: policyPartition(org) });
  const read = [...Map.groupBy(items, ({ sk }) => readPolicyItemKey(sk).policy).values()].flatMap(
    ([head, ...others]): (Policy | UnreadablePolicy)[] => {
      if (!head || readPolicyItemKey(head.sk).kind !== 'HEAD') return [];
      try {
        return [policyOf(org, head, others)];
      } catch (unreadable) {
        return [{ name: String(head['name']), unreadable }];
      }
    },
  );
  const nameOf = (policy: Policy | UnreadablePolicy) => ('head' in policy ? policy.head.name : policy.name);
  return read.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

const TEXTS_AT_ONCE = 8;

/**
 * Reads the texts of a policy's versions as they were uploaded, in the order of the versions. An erased text is empty.
 */
export const readTexts = (objects: Objects, org: OrganizationId, { versions }: Pick<Policy, 'versions'>) =>
  inParallel(versions, TEXTS_AT_ONCE, async ({ body }) => (await readBody(objects, org, body)) ?? '');
