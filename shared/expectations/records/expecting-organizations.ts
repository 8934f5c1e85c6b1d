import * as z from 'zod';
import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import { absent, atMost, change, either, equal, exists, onlyIf } from '#shared/table/expressions.ts';
import type { Item, Table, Write } from '#shared/table/table.ts';
import { EXPECTING_SHARDS, expectingKey, expectingPartition } from './keys.ts';

/** When the sweeps look for gaps in organizations with expectations (rules/expectations.md#looks). */

const Expecting = z.object({
  sk: z.string(),
  /** When the next look is due. */
  nextAt: StoredMicros,
  /** When the last complete look began. Absent before the first one. */
  lookedAt: StoredMicros.optional(),
  /** When each group of kinds is due. Absent if all of them are due with the next look. */
  due: z.record(z.string(), StoredMicros).optional(),
  /** How far an interrupted look got, by expectation and version. Absent after a complete look. */
  places: z.record(z.string(), StoredMicros).optional(),
});

interface ExpectingOrganization {
  org: OrganizationId;
  nextAt: Micros;
  lookedAt: Micros | null;
  /** By group of kinds. A group that is not in it is due. */
  due: Readonly<Record<string, Micros>>;
  /** How far an interrupted look got, by expectation and version. */
  places: Readonly<Record<string, Micros>>;
}

const expectingIn = (item: Item): ExpectingOrganization => {
  const { sk, nextAt, lookedAt = null, due = {}, places = {} } = Expecting.parse(item);
  return { org: storedId(sk), nextAt, lookedAt, due, places };
};

/** Returns the write that asks for a look at all subjects of an organization at once, and lists the organization if it is new. */
export const askForLook = (org: OrganizationId, at: Micros): Write => ({
  update: expectingKey(org),
  ...change({ set: { v: 1, nextAt: at }, remove: ['due'] }),
});

/** Reads the organizations with expectations, with one Query per partition. */
export async function readExpecting(table: Table): Promise<ExpectingOrganization[]> {
  const shards = Array.from({ length: EXPECTING_SHARDS }, (_, shard) => table.query({ pk: expectingPartition(shard) }));
  return (await Promise.all(shards)).flat().map(expectingIn);
}

/**
 * Begins the look that a message asked for. While it lasts no other look at the organization begins; if its process ends,
 * another one can begin after `until`.
 *
 * @param sent when the message was sent
 * @returns null if no look was due then, or if one is under way
 */
export async function beginLook(
  table: Table,
  org: OrganizationId,
  { sent, now, until }: { sent: Micros; now: Micros; until: Micros },
): Promise<ExpectingOrganization | null> {
  const key = expectingKey(org);
  const isFree = either(absent('busy'), atMost({ busy: now }));
  const begins = await table.update(key, change({ set: { busy: until } }, exists(), isFree, atMost({ nextAt: sent })));
  const item = begins ? await table.get(key) : undefined;
  return item ? expectingIn(item) : null;
}

/**
 * Ends a complete look. If somebody asked for another look meanwhile, its time stays.
 *
 * @param lookedAt when the look began
 * @param due when each group of kinds is due
 * @param nextAt when the next look is due; null = never, because the organization expects nothing any more
 */
export async function endLook(
  table: Table,
  { org, nextAt: before }: ExpectingOrganization,
  { lookedAt, due, nextAt }: { lookedAt: Micros; due: Readonly<Record<string, Micros>>; nextAt: Micros | null },
): Promise<void> {
  const key = expectingKey(org);
  const isSame = equal({ nextAt: before });
  if (nextAt === null) {
    const removed = await table.write({ remove: key, ...onlyIf(isSame), refused: () => 'asked' as const });
    if (removed === 'done') return;
  } else if (await table.update(key, change({ set: { nextAt, lookedAt, due }, remove: ['busy', 'places'] }, isSame)))
    return;
  await table.update(key, change({ set: { lookedAt }, remove: ['busy', 'places'] }, exists()));
}

/**
 * Ends a look that is not complete: the next sweep asks for another one, which starts from the same place.
 *
 * @param places how far the look at trails and artifacts got
 */
export async function giveUpLook(
  table: Table,
  org: OrganizationId,
  places: Readonly<Record<string, Micros>>,
): Promise<void> {
  await table.update(expectingKey(org), change({ set: { places }, remove: ['busy'] }, exists()));
}
