import * as z from 'zod';
import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import type { WriteTimes } from '#shared/base/write-times.ts';
import type { Table } from '#shared/table/table.ts';
import { ACTIVE_SHARDS, activeKey, activePartition } from './keys.ts';

/** Which organizations the sweeps check (`rules/storage.md#visits-of-organizations`). */

const Active = z.object({ sk: z.string(), at: StoredMicros });

/** An organization in which something happened. */
export interface ActiveOrganization {
  org: OrganizationId;
  /** When the relay listed the organization last. */
  at: Micros;
}

/** Lists an organization, so that the sweeps check it. */
export const listActive = (table: Table, org: OrganizationId, at: Micros): Promise<void> =>
  table.put({ ...activeKey(org), v: 1, at });

/** Writes at the same time that list organizations. */
const WIDTH = 8;

/**
 * Lists organizations, so that the sweeps check them. Skips those that this container has listed within the last minute.
 * @param memory when this container listed organizations
 */
export async function listOrganizations(
  table: Table,
  organizations: Iterable<OrganizationId>,
  now: Micros,
  memory: WriteTimes,
): Promise<void> {
  const due = [...organizations].filter((org) => memory.isDue(org, now));
  await inParallel(due, WIDTH, async (org) => {
    await listActive(table, org, now);
    memory.remember(org, now);
  });
}

/** Reads the listed organizations in the order of their ids, with one Query per partition. */
export async function readActive(table: Table): Promise<ActiveOrganization[]> {
  const shards = Array.from({ length: ACTIVE_SHARDS }, (_, shard) => table.query({ pk: activePartition(shard) }));
  return (await Promise.all(shards))
    .flat()
    .map((item) => Active.parse(item))
    .map(({ sk, at }) => ({ org: storedId<OrganizationId>(sk), at }))
    .sort((one, other) => (one.org < other.org ? -1 : 1));
}

/** Removes an organization from the list, unless the relay has listed the organization again since the list was read. */
export async function removeActive(table: Table, { org, at }: ActiveOrganization): Promise<void> {
  await table.write({
    remove: activeKey(org),
    ConditionExpression: '#at = :at',
    ExpressionAttributeNames: { '#at': 'at' },
    ExpressionAttributeValues: { ':at': at },
    refused: () => 'listed again' as const,
  });
}
