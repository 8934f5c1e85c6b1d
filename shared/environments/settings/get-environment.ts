import type { EnvironmentId, OrganizationId, PolicyId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import { type EnvironmentName, type PolicyName, storedName } from '#shared/base/names.ts';
import { EPOCH, latestOf, type Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readPolicyNames } from '#shared/policies/records/policies.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import type { Table } from '#shared/table/table.ts';
import { presentEnvironmentRecord } from '../present-environment.ts';
import type { EnvironmentDetails } from '../records/environment-details.ts';
import type { EnvironmentEntry, EnvironmentHead } from '../records/environment-records.ts';
import { readEnvironmentNames } from '../records/environments.ts';
import type { EnvironmentKind } from '../rules/environment-kinds.ts';
import { ENVIRONMENTS } from '../rules/series-kinds.ts';
import { readPresentState } from './read-present-state.ts';
import { readSilence, type ShownSilence } from './read-silence.ts';

/**
 * Reads an environment by its present name or an alias (rules/environments.md#record).
 *
 * @param options `withSilence`: whether silent reporters are found out. Of a logical environment this reads its members
 * @throws ServiceError `not-found` if it does not exist or is archived
 */
export async function getEnvironment(
  { table, objects, clock }: Pick<Stores, 'table' | 'objects' | 'clock'>,
  org: Organization,
  name: EnvironmentName,
  { withSilence }: { withSilence: boolean },
): Promise<{ environment: ShownEnvironment; names: ReferredNames }> {
  const key = `${org.id}#${name}`;
  // The names that the environment referred to at its last read are read at the same time. Only new ones cost another read.
  const [{ head, entry, facts, tags }, known] = await Promise.all([
    presentEnvironmentRecord(table, objects, org, name),
    readReferredNames(table, org.id, remembered.get(key) ?? { policies: [], members: [] }),
  ]);
  remembered.set(key, head);
  const now = clock.now();
  const [present, others, silence] = await Promise.all([
    readPresentState(table, org.id, head, now, entry),
    readReferredNames(table, org.id, {
      policies: head.policies.filter((id) => !known.policies.has(id)),
      members: head.members.filter((id) => !known.members.has(id)),
    }),
    withSilence ? readSilence(table, org.id, { head, entry }, now) : undefined,
  ]);
  const environment = {
    ...head,
    state: present.state,
    stateReason: present.reason,
    facts,
    tags,
    changed: head.at,
    reported: entry?.r ?? EPOCH,
    modified: lastModified(entry ?? { k: head.kind, m: head.created, r: EPOCH, c: EPOCH }, head.at),
    silence,
  };
  const names = {
    policies: new Map([...known.policies, ...others.policies]),
    members: new Map([...known.members, ...others.members]),
  };
  return { environment, names };
}

export interface ShownEnvironment extends EnvironmentDetails {
  name: string;
  kind: EnvironmentKind;
  state: boolean | null;
  /** Why the state is not that of the newest snapshot; null if it is. */
  stateReason: string | null;
  /** Time of the newest snapshot; 0 = none. */
  changed: Micros;
  /** Time of the last accepted report; 0 = never. */
  reported: Micros;
  modified: Micros;
  /** Undefined unless somebody asked for it. */
  silence?: ShownSilence | undefined;
}

/**
 * Time of the last change of an environment, in microseconds: settings, report or snapshot (rules/environments.md#record).
 * For a logical environment it is the newest snapshot, or the last change of settings if it has no snapshot.
 * @param newest time of the newest snapshot, if the head is known; the catalogue entry may have been read before it
 */
export function lastModified(
  { k, m, r, c }: Pick<EnvironmentEntry, 'k' | 'm' | 'r' | 'c'>,
  newest: Micros = c,
): Micros {
  if (k === 'logical' && newest > 0) return newest;
  return latestOf(m, r, newest);
}

export interface ReferredNames {
  policies: ReadonlyMap<PolicyId, PolicyName>;
  members: ReadonlyMap<EnvironmentId, EnvironmentName>;
}

/** Ids of the policies and members of environments at their last read, by organization and requested name. */
const remembered = memoryOf<References>('references');
type References = Pick<EnvironmentHead, 'policies' | 'members'>;

async function readReferredNames(table: Table, org: OrganizationId, { policies, members }: References) {
  const [ofPolicies, ofMembers] = await Promise.all([
    readPolicyNames(table, org, policies),
    readMemberNames(table, org, members),
  ]);
  return { policies: ofPolicies, members: ofMembers };
}

/** Above this number of members, the catalogue is read instead of their heads: it takes fewer calls and units. */
const MOST_HEADS = 100;

async function readMemberNames(table: Table, org: OrganizationId, ids: readonly EnvironmentId[]) {
  if (ids.length <= MOST_HEADS) return readEnvironmentNames(table, org, ids);
  const listed = await readCatalogue(table, org, ENVIRONMENTS);
  return new Map([...listed].map(([id, { entry }]) => [id, storedName<EnvironmentName>(String(entry['n']))]));
}
