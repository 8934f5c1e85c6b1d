import { type EnvironmentId, newId, type OrganizationId, type PolicyId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { type PreparedBody, prepareBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { FIRST_PREVIOUS } from '#shared/evidence/rules/hash-chain.ts';
import { policyEnvironmentKey } from '#shared/policies/records/keys.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import type { Table, Write } from '#shared/table/table.ts';
import type { EnvironmentKind } from '../rules/environment-kinds.ts';
import { entryUpdate, headUpdate } from './environment-head.ts';
import type { EnvironmentEntry, EnvironmentFacts, EnvironmentHead } from './environment-records.ts';
import { environmentFactsKey, environmentGroupKey, environmentHeadKey, environmentNameKey } from './keys.ts';

/** What a new environment begins with. */
export interface NewEnvironment {
  name: string;
  kind: EnvironmentKind;
  at: Micros;
  by: string;
  /** Minted here unless given: the facts are made ready for an id before the environment is there. */
  id?: EnvironmentId;
  facts?: PreparedBody;
  /** Ids of policies that are attached from the beginning. */
  policies?: readonly PolicyId[];
  /** Ids of members, of a logical environment. */
  members?: readonly EnvironmentId[];
}

/**
 * The writes that make an environment. A name that is only an alias, or an archived environment's, is taken from its
 * former holder (semantics §14).
 * @param again what it means that the name became another environment's meanwhile, or that a member was archived
 */
export function newEnvironmentWrites<R>(
  org: OrganizationId,
  environment: NewEnvironment,
  again: () => R,
): { head: EnvironmentHead; writes: Write<R>[] } {
  const { name, kind, at, by, id = newId(at), facts, policies = [], members = [] } = environment;
  const head: EnvironmentHead = {
    ...{ id, name, kind, created: at, by, archived: null, rev: 1 },
    ...{ policies: policies.toSorted(), members: [...members] },
    ...{ index: 0, at: 0, digest: '', hash: FIRST_PREVIOUS, state: null, known: null, events: 0 },
    ...{ mark: 0, evaluatedMark: 0, evaluatedAt: 0 },
  };
  const entry: EnvironmentEntry = { n: name, k: kind, m: at, r: 0, c: 0 };
  return {
    head,
    writes: [
      claimName(org, name, id, again),
      { put: { ...environmentHeadKey(org, id), v: 1, ...head } },
      ...(facts
        ? [{ put: { ...environmentFactsKey(org, id), v: 1, facts: facts.body, rev: 1 } }, ...facts.writes]
        : []),
      ...head.policies.map((policy): Write<R> => ({ put: { ...policyEnvironmentKey(org, policy, id), v: 1 } })),
      ...head.members.flatMap((member) => joinWrites(org, id, member, again)),
      catalogueWrite(org, 'environment', id, { ...entry }),
    ],
  };
}

export const prepareEnvironmentFacts = (
  objects: Objects,
  org: OrganizationId,
  environment: EnvironmentId,
  facts: EnvironmentFacts,
): PreparedBody => prepareBody(objects, org, JSON.stringify(facts), `environment:${environment}`);

/** A name is free when nobody holds it, or when its holder has since been renamed or archived. */
const claimName = <R>(
  org: OrganizationId,
  name: string,
  environment: EnvironmentId,
  taken: (holder: unknown) => R,
): Write<R> => ({
  put: { ...environmentNameKey(org, name), v: 1, environment, current: true },
  ConditionExpression: 'attribute_not_exists(pk) OR #current = :no',
  ExpressionAttributeNames: { '#current': 'current' },
  ExpressionAttributeValues: { ':no': false },
  refused: (old) => taken(old?.['environment']),
});

/** Leaves a name as an alias, which another environment may take. */
export const releaseName = (org: OrganizationId, name: string, environment: EnvironmentId): Write => ({
  put: { ...environmentNameKey(org, name), v: 1, environment, current: false },
});

/** Changed facts over those that were read: `rev` says which these were, 0 = none. */
export const environmentFactsWrites = <R>(
  org: OrganizationId,
  id: EnvironmentId,
  rev: number,
  facts: PreparedBody,
  again: () => R,
): Write<R>[] => [
  {
    put: { ...environmentFactsKey(org, id), v: 1, facts: facts.body, rev: rev + 1 },
    ...(rev === 0
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: '#rev = :rev',
          ExpressionAttributeNames: { '#rev': 'rev' },
          ExpressionAttributeValues: { ':rev': rev },
        }),
    refused: again,
  },
  ...facts.writes,
];

/**
 * Links between a logical environment and its members beside the list in its head, which the same transaction must
 * change: who joins must not be archived.
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
 * Holds for an environment that is not archived, and counts as a change of its settings: who archives it meanwhile
 * reads again, and meets what refers to it from now on.
 */
export const referenceWrite = <R>(org: OrganizationId, environment: EnvironmentId, archived: () => R): Write<R> => ({
  update: environmentHeadKey(org, environment),
  UpdateExpression: 'SET #rev = #rev + :one',
  ConditionExpression: '#archived = :no',
  ExpressionAttributeNames: { '#rev': 'rev', '#archived': 'archived' },
  ExpressionAttributeValues: { ':one': 1, ':no': null },
  refused: archived,
});

/**
 * Gives an environment another name. The old one stays as an alias; an alias of another, or an archived environment's
 * name, is taken from it (semantics §14).
 * @param claim the request's idempotency claim; refused first, so that its outcome is the one that counts
 * @returns `taken` when the name is another environment's present one, `again` when another writer was first
 */
export async function renameEnvironment<C>(
  table: Table,
  org: OrganizationId,
  head: EnvironmentHead,
  name: string,
  at: Micros,
  claim: Write<C>[],
): Promise<'done' | 'taken' | 'again' | C> {
  return table.transact<'taken' | 'again' | C>([
    ...claim,
    // Held by this very environment: another request has just given it the name.
    claimName(org, name, head.id, (holder) => (holder === head.id ? 'again' : 'taken')),
    releaseName(org, head.name, head.id),
    headUpdate(org, head, { settings: { name } }, again),
    entryUpdate(org, head.id, { n: name, m: at }, again),
  ]);
}

/**
 * Adds a member to a logical environment that does not have it yet.
 * @param claim the request's idempotency claim
 * @returns `again` when another writer was first, or when the member was archived meanwhile
 */
export async function joinEnvironment<C>(
  table: Table,
  org: OrganizationId,
  logical: EnvironmentHead,
  member: EnvironmentId,
  at: Micros,
  claim: Write<C>[],
): Promise<'done' | 'again' | C> {
  const members = [...logical.members, member];
  return table.transact<'again' | C>([...claim, ...membersChange(org, logical, members, at)]);
}

/** The members of a logical environment changed: its head, its links, and when that was. */
export const membersChange = (
  org: OrganizationId,
  logical: EnvironmentHead,
  members: readonly EnvironmentId[],
  at: Micros,
): Write<'again'>[] => [
  headUpdate(org, logical, { settings: { members: [...members] } }, again),
  ...memberWrites(org, logical.id, logical.members, members, again),
  entryUpdate(org, logical.id, { m: at }, again),
];
