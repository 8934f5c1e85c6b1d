import type { EnvironmentId, OrganizationId, PolicyId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readPolicyNames } from '#shared/policies/records/policies.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import type { Table } from '#shared/table/table.ts';
import { presentEnvironmentRecord } from '../present-environment.ts';
import type { EnvironmentDetails } from '../records/environment-details.ts';
import type { EnvironmentEntry } from '../records/environment-records.ts';
import { readEnvironmentNames } from '../records/environments.ts';
import type { EnvironmentKind } from '../rules/environment-kinds.ts';
import { ENVIRONMENTS } from '../rules/series-kinds.ts';

/**
 * Reads an environment by its present name or an alias (rules/environments.md#record).
 *
 * @throws ServiceError `not-found` if it does not exist or is archived
 */
export async function getEnvironment(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  name: string,
): Promise<{ environment: ShownEnvironment; names: ReferredNames }> {
  const { found, names } = await readWithNames(
    table,
    org.id,
    name,
    () => presentEnvironmentRecord(table, objects, org, name),
    ({ head }) => head,
  );
  const { head, entry, facts, tags } = found;
  const environment = {
    ...head,
    facts,
    tags,
    changed: head.at,
    reported: entry?.r ?? 0,
    modified: lastModified(entry ?? { k: head.kind, m: head.created, r: 0, c: 0 }, head.at),
  };
  return { environment, names };
}

export interface ShownEnvironment extends EnvironmentDetails {
  name: string;
  kind: EnvironmentKind;
  state: boolean | null;
  /** Time of the newest snapshot; 0 = none. */
  changed: Micros;
  /** Time of the last accepted report; 0 = never. */
  reported: Micros;
  modified: Micros;
}

/**
 * Time of the last change of an environment, in microseconds: settings, report or snapshot (rules/environments.md#record).
 * For a logical environment it is the newest snapshot, or the last change of settings if it has no snapshot.
 * @param newest time of the newest snapshot, if the head is known; the catalogue entry may have been read before it
 */
export function lastModified({ k, m, r, c }: Omit<EnvironmentEntry, 'n'>, newest: Micros = c): Micros {
  if (k === 'logical' && newest > 0) return newest;
  return Math.max(m, r, newest);
}

export interface ReferredNames {
  policies: ReadonlyMap<PolicyId, string>;
  members: ReadonlyMap<EnvironmentId, string>;
}

/** Ids of the policies and members whose names a record shows. */
interface References {
  policies: readonly PolicyId[];
  members: readonly EnvironmentId[];
}

/** Reads the present names of the policies and members of records, all in parallel. */
async function readReferredNames(table: Table, org: OrganizationId, all: readonly References[]) {
  const [policies, members] = await Promise.all([
    readPolicyNames(
      table,
      org,
      all.flatMap((one) => one.policies),
    ),
    readMemberNames(
      table,
      org,
      all.flatMap((one) => one.members),
    ),
  ]);
  return { policies, members };
}

/** Above this number of members, the catalogue is read instead of their heads: it takes fewer calls and units. */
const MOST_HEADS = 100;

async function readMemberNames(table: Table, org: OrganizationId, ids: readonly EnvironmentId[]) {
  if (ids.length <= MOST_HEADS) return readEnvironmentNames(table, org, ids);
  const listed = await readCatalogue(table, org, ENVIRONMENTS);
  return new Map([...listed].map(([id, { entry }]) => [id, String(entry['n'])]));
}

/** References of records at their last read, by organization and requested name. */
const remembered = memoryOf<References>('references');

/**
 * Reads a record and the names that it shows. The names of its references at the last read are read in parallel with the
 * record. Only references that are new since then cost another read.
 */
async function readWithNames<T>(
  table: Table,
  org: OrganizationId,
  asked: string,
  read: () => Promise<T>,
  referencesOf: (found: T) => References,
): Promise<{ found: T; names: ReferredNames }> {
  const key = `${org}#${asked}`;
  const [found, known] = await Promise.all([read(), readReferredNames(table, org, [remembered.get(key) ?? NOTHING])]);
  const references = referencesOf(found);
  remembered.set(key, references);
  const unread: References = {
    policies: references.policies.filter((id) => !known.policies.has(id)),
    members: references.members.filter((id) => !known.members.has(id)),
  };
  const others = await readReferredNames(table, org, [unread]);
  return {
    found,
    names: {
      policies: new Map([...known.policies, ...others.policies]),
      members: new Map([...known.members, ...others.members]),
    },
  };
}

const NOTHING: References = { policies: [], members: [] };
