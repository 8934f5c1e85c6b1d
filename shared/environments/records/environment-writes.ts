import { type EnvironmentId, newId, type OrganizationId, type PolicyId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { FIRST_PREVIOUS } from '#shared/base/proofs/hash-chain.ts';
import { again } from '#shared/base/retry.ts';
import { EPOCH, type Micros } from '#shared/base/time.ts';
import { LISTED_LIMIT, type PreparedBody, prepareBody } from '#shared/bodies/bodies.ts';
import type { Covering } from '#shared/bodies/covered-lines.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { policyEnvironmentKey } from '#shared/policies/records/keys.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import { absent, change, equal, onlyIf, unchanged } from '#shared/table/expressions.ts';
import type { Table, Write } from '#shared/table/table.ts';
import type { EnvironmentKind } from '../rules/environment-kinds.ts';
import { ENVIRONMENTS } from '../rules/series-kinds.ts';
import { factsCover, settingsCover } from './environment-covers.ts';
import { entryUpdate, headWrites, linksWrite } from './environment-head.ts';
import {
  type EnvironmentEntry,
  type EnvironmentFacts,
  type EnvironmentHead,
  type FactsItem,
  namedEnvironments,
} from './environment-records.ts';
import { environmentFactsKey, environmentGroupKey, environmentHeadKey } from './keys.ts';

interface NewEnvironment {
  name: EnvironmentName;
  kind: EnvironmentKind;
  at: Micros;
  by: string;
  /** A new id by default. Given if `facts` was prepared before, since that needs the id. */
  id?: EnvironmentId;
  facts?: PreparedBody;
  policies?: readonly PolicyId[];
  members?: readonly EnvironmentId[];
}

/**
 * The writes that create an environment. If its name is only an alias, or belongs to an archived environment, the new
 * environment takes it over (rules/environments.md#names).
 * @param again the outcome if another environment got the name meanwhile, or if a member was archived
 */
export function newEnvironmentWrites<R>(
  org: OrganizationId,
  environment: NewEnvironment,
  again: () => R,
): { head: EnvironmentHead; covers: Cover[]; writes: Write<R>[] } {
  const { name, kind, at, by, id = newId(at), facts, policies = [], members = [] } = environment;
  const head: EnvironmentHead = {
    id,
    name,
    kind,
    created: at,
    by,
    archived: null,
    rev: 1,
    policies: policies.toSorted(),
    members: [...members],
    allowed: 0,
    index: 0,
    at: EPOCH,
    digest: '',
    hash: FIRST_PREVIOUS,
    state: null,
    since: EPOCH,
    known: null,
    events: 0,
    mark: 0,
    evaluatedMark: 0,
    evaluatedAt: EPOCH,
  };
  const entry: EnvironmentEntry = { n: name, k: kind, m: at, r: EPOCH, c: EPOCH };
  const item = facts && { facts: facts.body, rev: 1 };
  return {
    head,
    covers: [settingsCover(undefined, head), ...(item ? [factsCover(id, null, item)] : [])],
    writes: [
      namedEnvironments.claim(org, name, id, again),
      { put: { ...environmentHeadKey(org, id), v: 1, ...head } },
      ...(item ? [{ put: { ...environmentFactsKey(org, id), v: 1, ...item } }, ...facts.writes] : []),
      linksWrite(org, id, { policies: head.policies, members: head.members }),
      ...head.policies.map((policy) => attachmentWrite(org, policy, head)),
      ...head.members.flatMap((member) => joinWrites(org, id, member, again)),
      catalogueWrite(org, ENVIRONMENTS, id, { ...entry }),
    ],
  };
}

/** The link from a policy to an environment. It has the environment's present name, so a policy is read without heads. */
export const attachmentWrite = (
  org: OrganizationId,
  policy: PolicyId,
  { id, name }: Pick<EnvironmentHead, 'id' | 'name'>,
): Write => ({ put: { ...policyEnvironmentKey(org, policy, id), v: 1, name } });

export const prepareEnvironmentFacts = (
  objects: Objects,
  org: OrganizationId,
  environment: EnvironmentId,
  facts: EnvironmentFacts,
): PreparedBody =>
  prepareBody(objects, org, JSON.stringify(facts), `environment:${environment}`, { limit: LISTED_LIMIT });

/**
 * Replaces the facts on condition that they have not changed since they were read.
 * @param before the facts that were read; null = there were none
 */
export function environmentFactsWrites<R>(
  org: OrganizationId,
  id: EnvironmentId,
  before: FactsItem | null,
  facts: PreparedBody,
  again: () => R,
): { cover: Cover; writes: Write<R>[] } {
  const item = { facts: facts.body, rev: (before?.rev ?? 0) + 1 };
  const put = { ...environmentFactsKey(org, id), v: 1, ...item };
  const asRead = onlyIf(before ? unchanged(before, 'rev') : absent());
  return { cover: factsCover(id, before, item), writes: [{ put, ...asRead, refused: again }, ...facts.writes] };
}

/**
 * The writes for the links between a logical environment and its members. The same transaction must change the list in
 * the head. It fails if an environment that joins was archived meanwhile.
 * @returns at most two writes per member
 */
export function memberWrites<R>(
  org: OrganizationId,
  logical: EnvironmentId,
  before: readonly EnvironmentId[],
  after: readonly EnvironmentId[],
  again: () => R,
): Write<R>[] {
  const joined = after.filter((member) => !before.includes(member));
  const left = before.filter((member) => !after.includes(member));
  return [
    ...joined.flatMap((member) => joinWrites(org, logical, member, again)),
    ...left.map((member): Write<R> => ({ remove: environmentGroupKey(org, member, logical) })),
  ];
}

const joinWrites = <R>(
  org: OrganizationId,
  logical: EnvironmentId,
  member: EnvironmentId,
  again: () => R,
): Write<R>[] => [{ put: { ...environmentGroupKey(org, member, logical), v: 1 } }, referenceWrite(org, member, again)];

/**
 * Checks that an environment is not archived and raises its `rev`. A request that archives it at the same time then
 * fails, reads again, and finds the new reference.
 * @param archived the outcome if the environment is archived
 */
const referenceWrite = <R>(org: OrganizationId, environment: EnvironmentId, archived: () => R): Write<R> => ({
  update: environmentHeadKey(org, environment),
  ...change({ add: { rev: 1 } }, equal({ archived: null })),
  refused: archived,
});

/**
 * Renames an environment (rules/environments.md#rename). The old name stays as an alias. If the new name is an alias of
 * another environment, or belongs to an archived one, this environment takes it over.
 * @param others returns the request's idempotency claim, which stands first in the transaction, so its refusal decides the
 *   outcome, and the audit entry
 * @returns `taken` if the name is the present name of another environment, `again` if another writer was first
 */
export async function renameEnvironment(
  table: Table,
  org: OrganizationId,
  head: EnvironmentHead,
  name: EnvironmentName,
  at: Micros,
  others: Covering,
): Promise<'done' | 'taken' | 'again'> {
  return table.transact<'taken' | 'again'>([
    ...others([settingsCover(head, { ...head, name })]),
    ...namedEnvironments.rename(org, head, name),
    ...headWrites(org, head, { settings: { name } }, again),
    entryUpdate(org, head.id, { n: name, m: at }, again),
    ...head.policies.map((policy) => attachmentWrite(org, policy, { id: head.id, name })),
  ]);
}

/**
 * Adds a member to a logical environment that does not have it yet.
 * @param others returns the request's idempotency claim and the audit entry
 * @returns `again` if another writer was first, or if the member was archived meanwhile
 */
export async function joinEnvironment(
  table: Table,
  org: OrganizationId,
  logical: EnvironmentHead,
  member: EnvironmentId,
  at: Micros,
  others: Covering,
): Promise<'done' | 'again'> {
  const members = [...logical.members, member];
  const covers = [settingsCover(logical, { ...logical, members })];
  return table.transact<'again'>([...others(covers), ...membersChange(org, logical, members, at)]);
}

/** The writes that replace the members of a logical environment: head, links, and time of the last change. */
export const membersChange = (
  org: OrganizationId,
  logical: EnvironmentHead,
  members: readonly EnvironmentId[],
  at: Micros,
): Write<'again'>[] => [
  ...headWrites(org, logical, { settings: { members: [...members] } }, again),
  ...memberWrites(org, logical.id, logical.members, members, again),
  entryUpdate(org, logical.id, { m: at }, again),
];
