import * as z from 'zod';
import { type Id, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { EPOCH, type Micros, minus, StoredMicros } from '#shared/base/time.ts';
import { absent, atMost, change, either } from '#shared/table/expressions.ts';
import type { Table } from '#shared/table/table.ts';
import { askedKey, askedList } from './keys.ts';

/** When watches asked the whole index (rules/watches.md#asked-of-what-there-is). */

const AskedItem = z.object({
  sk: z.string(),
  /** When the last question to the whole index began that was answered completely; 0 = none was. */
  at: StoredMicros.default(EPOCH),
  /** When a visit had it asked. */
  sent: StoredMicros.default(EPOCH),
});

/** Reads when each watch asked the whole index, by id. Watches that never did are left out. */
export async function readAsked(table: Table, org: OrganizationId): Promise<Map<Id, { at: Micros; sent: Micros }>> {
  const items = await table.query({ pk: askedList(org) });
  return new Map(items.map((item) => AskedItem.parse(item)).map(({ sk, at, sent }) => [storedId(sk), { at, sent }]));
}

/** Stores that the whole index was asked. @param at when the question began */
export async function recordAsked(table: Table, org: OrganizationId, watch: Id, at: Micros): Promise<void> {
  await table.update(askedKey(org, watch), change({ set: { v: 1, at } }));
}

/** Stores that a visit has a watch asked. @returns false if another visit did so within the given microseconds */
export const recordSent = (
  table: Table,
  org: OrganizationId,
  watch: Id,
  { now, within }: { now: Micros; within: number },
): Promise<boolean> =>
  table.update(
    askedKey(org, watch),
    change({ set: { v: 1, sent: now } }, either(absent('sent'), atMost({ sent: minus(now, within) }))),
  );
