import * as z from 'zod';
import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import type { WriteTimes } from '#shared/base/write-times.ts';
import type { Table } from '#shared/table/table.ts';
import { ACTIVE_SHARDS, activeKey, activePartition } from './keys.ts';

/** Which organizations the sweeps check (`rules/storage.md#visits-of-organizations`). */

const Active = z.object({
  sk: z.string(),
  at: StoredMicros,
  /** When the organization came on the list. Items of earlier releases have none. */
  since: StoredMicros.optional(),
  /** When the last visit began that found nothing more and in which no part failed. */
  visited: StoredMicros.optional(),
});

/** An organization in which something happened. */
interface ActiveOrganization {
  org: OrganizationId;
  /** When the relay listed the organization last. */
  at: Micros;
  /** Up to when effects are known not to be missing: when the last complete visit began, or when the organization was listed. */
  provedAt: Micros;
}

/** Lists an organization, so that the sweeps check it. */
export async function listActive(table: Table, org: OrganizationId, at: Micros): Promise<void> {
  await table.update(activeKey(org), {
    UpdateExpression: 'SET v = :v, #at = :at, since = if_not_exists(since, :at)',
    ExpressionAttributeNames: { '#at': 'at' },
    ExpressionAttributeValues: { ':v': 1, ':at': at },
  });
}

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
    .map(({ sk, at, since, visited }) => ({
      org: storedId<OrganizationId>(sk),
      at,
      provedAt: visited ?? since ?? at,
    }))
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

/**
 * Begins the visit that a message asked for. While it lasts no other visit of the organization begins; if its process ends, another one
 * can begin after `until`.
 *
 * @param sent when the message was sent
 * @returns null if the organization is not listed any more, is visited at the moment, or was visited after the message was sent
 */
export async function beginVisit(
  table: Table,
  org: OrganizationId,
  { sent, now, until }: { sent: Micros; now: Micros; until: Micros },
): Promise<ActiveOrganization | null> {
  const key = activeKey(org);
  const begins = await table.update(key, {
    UpdateExpression: 'SET busy = :until',
    ConditionExpression:
      'attribute_exists(pk) AND (attribute_not_exists(busy) OR busy <= :now) AND (attribute_not_exists(visited) OR visited <= :sent)',
    ExpressionAttributeValues: { ':until': until, ':now': now, ':sent': sent },
  });
  const item = begins ? await table.get(key) : undefined;
  if (!item) return null;
  const { at, since, visited } = Active.parse(item);
  return { org, at, provedAt: visited ?? since ?? at };
}

/** Ends a visit. @param provedAt when it began, if it was complete; null leaves the time of the last complete one */
export async function endVisit(table: Table, org: OrganizationId, provedAt: Micros | null): Promise<void> {
  await table.update(activeKey(org), {
    UpdateExpression: `${provedAt === null ? '' : 'SET visited = :at '}REMOVE busy`,
    ConditionExpression: 'attribute_exists(pk)',
    ...(provedAt !== null && { ExpressionAttributeValues: { ':at': provedAt } }),
  });
}
