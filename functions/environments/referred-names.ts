import type { EnvironmentId, OrganizationId, PolicyId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import { readEnvironmentNames } from '#shared/environments/records/environments.ts';
import { readPolicyHeads } from '#shared/policies/records/policies.ts';
import type { Table } from '#shared/table/table.ts';
import type { ReferredNames } from './environment-output.ts';

/** Ids of what records show the names of. */
export interface References {
  policies: readonly PolicyId[];
  members: readonly EnvironmentId[];
}

/** The present names of what records refer to, all read at once. */
export async function readReferredNames(
  table: Table,
  org: OrganizationId,
  all: readonly References[],
): Promise<ReferredNames> {
  const [policies, members] = await Promise.all([
    readPolicyHeads(
      table,
      org,
      all.flatMap((one) => one.policies),
    ),
    readEnvironmentNames(
      table,
      org,
      all.flatMap((one) => one.members),
    ),
  ]);
  return { policies: new Map([...policies.values()].map(({ id, name }) => [id, name])), members };
}

/** What a record referred to when it was read last, by organization and the name that was asked for. */
const remembered = memoryOf<References>('references');

/**
 * Reads a record and the names that it shows. What the record referred to the last time is read at the same time as the
 * record. Only references that are new since then cost a further read.
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
