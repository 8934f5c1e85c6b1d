import * as z from 'zod';
import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import type { WriteTimes } from '#shared/base/write-times.ts';
import { absent, atMost, change, either, equal, exists, onlyIf } from '#shared/table/expressions.ts';
import type { Item, Table } from '#shared/table/table.ts';
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
  await table.update(activeKey(org), change({ set: { v: 1, at }, setOnce: { since: at } }));
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
    .map(activeIn)
    .sort((one, other) => (one.org < other.org ? -1 : 1));
}

function activeIn(item: Item): ActiveOrganization {
  const { sk, at, since, visited } = Active.parse(item);
  return { org: storedId<OrganizationId>(sk), at, provedAt: visited ?? since ?? at };
}

/**
 * Removes an organization from the list, unless the relay has listed the organization again since the list was read.
 *
 * @returns whether the organization was removed
 */
export async function removeActive(table: Table, { org, at }: ActiveOrganization): Promise<boolean> {
  const refused = () => 'listed again' as const;
  return (await table.write({ remove: activeKey(org), ...onlyIf(equal({ at })), refused })) === 'done';
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
  const isFree = either(absent('busy'), atMost({ busy: now }));
  const isWanted = either(absent('visited'), atMost({ visited: sent }));
  const begins = await table.update(key, change({ set: { busy: until } }, exists(), isFree, isWanted));
  const item = begins ? await table.get(key) : undefined;
  return item ? activeIn(item) : null;
}

/** Ends a visit. @param provedAt when it began, if it was complete; null leaves the time of the last complete one */
export async function endVisit(table: Table, org: OrganizationId, provedAt: Micros | null): Promise<void> {
  const set = provedAt === null ? {} : { visited: provedAt };
  await table.update(activeKey(org), change({ set, remove: ['busy'] }, exists()));
}
