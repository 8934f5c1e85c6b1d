import type { EnvironmentId, OrganizationId, PolicyId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import { readPolicyNames } from '#shared/policies/records/policies.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import type { Table } from '#shared/table/table.ts';
import { readEnvironmentNames } from '../records/environments.ts';
import { ENVIRONMENTS } from '../rules/series-kinds.ts';

/** Names of the policies and members that records refer to, by id. */
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
async function readReferredNames(
  table: Table,
  org: OrganizationId,
  all: readonly References[],
): Promise<ReferredNames> {
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
export async function readWithNames<T>(
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
