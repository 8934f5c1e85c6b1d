import * as z from 'zod';
import { type Id, isId, OrganizationId } from '#shared/base/ids.ts';
import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { type Duration, type Micros, plus, StoredMicros } from '#shared/base/time.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { type Changes, change, equal, unchanged } from '#shared/table/expressions.ts';
import {
  type Item,
  keyText,
  putIfAbsent,
  readRecord,
  type Table,
  type Write,
  withRequest,
} from '#shared/table/table.ts';
import { type Attempt, Delivery, deliveryId, type Notice, type Target } from '../rules/records.ts';
import { attemptKey, DUE_SHARDS, deliveryEntryKey, deliveryKey, dueKey, duePartition } from './keys.ts';

/**
 * A delivery is one event for one target (`rules/notifications.md#delivery-record`). While a delivery is pending, an
 * entry in the list of due deliveries has its due time. One transaction changes both.
 */

/** A new delivery is due after this time. The sweep finds a delivery whose message was lost by its due time. */
export const FIRST_DUE_AFTER: Duration = 60_000_000;

/** Deliveries that one transaction creates. Each has three items. */
const CREATED_AT_ONCE = 25;
/** Transactions of a list of deliveries that run at the same time. */
export const BATCHES_AT_ONCE = 4;

/** The part of a delivery that says which attempt is next and when it is due. */
type DeliveryPlace = Pick<Delivery, 'id' | 'action' | 'due' | 'attempts'>;

/** An entry in the list of due deliveries of all organizations. */
export const DueDelivery = z.object({
  org: OrganizationId,
  id: z.string(),
  action: z.int(),
  due: StoredMicros,
  attempts: z.int(),
});
export type DueDelivery = z.infer<typeof DueDelivery>;

/**
 * Makes the delivery of an event to a target. Its id depends on event, action and target only, so repetitions agree.
 *
 * @param request id of the request that caused the event, if it is known
 */
export const newDelivery = (
  notice: Notice,
  action: number,
  target: Target,
  now: Micros,
  request?: string,
): Delivery => ({
  id: deliveryId(notice.event, notice.at, action, target.key),
  action,
  target,
  notice,
  state: 'pending',
  attempts: 0,
  due: plus(now, FIRST_DUE_AFTER),
  created: now,
  ...(request !== undefined && { request }),
});

const keyOf = (org: OrganizationId, { action, id }: { action: number; id: Id }) =>
  deliveryKey(org, action, monthOf(id), id);

/** @param toSend true asks the relay, which reads the item from the table's stream, to send the message */
export const deliveryItem = (org: OrganizationId, delivery: Delivery, toSend: boolean): Item => ({
  ...keyOf(org, delivery),
  v: 1,
  ...delivery,
  ...(toSend && { toSend }),
});

/**
 * Reads an item of the table's stream. If an endpoint created or put back the delivery, and neither an attempt nor a
 * new due time followed, the relay has to send its message. The stream may bring the same item again, for the same
 * attempt.
 * @returns the delivery to send; null for every other item
 * @throws ZodError for an item to send that is no delivery
 */
export function deliveryToSend(item: Item): Delivery | null {
  return item['toSend'] === true ? Delivery.parse(item) : null;
}

function dueWrite(org: OrganizationId, { id, action, due, attempts }: DeliveryPlace): Write {
  const entry: DueDelivery = { org, id, action, due, attempts };
  return { put: { ...dueKey(due, org, action, id), v: 1, ...entry } };
}

/** Moves the entry in the list of due deliveries, or removes it if `to` is null. */
export function moveDue(org: OrganizationId, from: DeliveryPlace | null, to: DeliveryPlace | null): Write[] {
  const isSame = from?.due === to?.due;
  return [
    ...(from && !isSame ? [{ remove: dueKey(from.due, org, from.action, from.id) }] : []),
    ...(to ? [dueWrite(org, to)] : []),
  ];
}

/**
 * The writes that add new deliveries to the transaction of a request. The relay reads them from the table's stream and
 * sends their messages, because an endpoint sends nothing itself (`rules/notifications.md#no-send-from-a-request`).
 */
export const deliveryWrites = (org: OrganizationId, deliveries: readonly Delivery[]): Write<never>[] =>
  deliveries.flatMap((delivery) => creation<never>(org, delivery, true));

/** @param existing what the transaction returns if the delivery exists; without it the transaction throws */
const creation = <R>(org: OrganizationId, delivery: Delivery, toSend: boolean, existing?: () => R): Write<R>[] => [
  withRequest(putIfAbsent(deliveryItem(org, delivery, toSend), existing)),
  // The entry in the organization's list of deliveries.
  { put: { ...deliveryEntryKey(org, monthOf(delivery.id), delivery.id), v: 1, action: delivery.action } },
  dueWrite(org, delivery),
];

/**
 * Creates the deliveries that do not exist yet. The caller sends their messages.
 * @returns all deliveries as they are stored now, in the order given
 */
export async function createDeliveries(
  table: Table,
  org: OrganizationId,
  deliveries: readonly Delivery[],
): Promise<Delivery[]> {
  const now = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const all = [...now.values()];
  await inParallel(batchesOf(all, CREATED_AT_ONCE), BATCHES_AT_ONCE, async (batch) => {
    for (const delivery of await createBatch(table, org, batch)) now.set(delivery.id, delivery);
  });
  return deliveries.map((delivery) => now.get(delivery.id) ?? delivery);
}

/** @returns the deliveries that existed already */
async function createBatch(table: Table, org: OrganizationId, batch: readonly Delivery[]): Promise<Delivery[]> {
  let missing = batch;
  let existing: Delivery[] = [];
  // Each refusal means that at least one missing delivery exists now, so the loop ends.
  while (missing.length > 0) {
    const outcome = await table.transact(missing.flatMap((delivery) => creation(org, delivery, false, again)));
    if (outcome === 'done') break;
    // Usually none exists. So they are read only after a refusal.
    const found = await table.getMany(batch.map((delivery) => keyOf(org, delivery)));
    existing = [...found.values()].map((item) => Delivery.parse(item));
    missing = batch.filter((delivery) => !found.has(keyText(keyOf(org, delivery))));
  }
  return existing;
}

/** Reads a delivery; null if it does not exist. @param id any text, also one that is no id */
export async function readDelivery(
  table: Table,
  org: OrganizationId,
  action: number,
  id: string,
): Promise<Delivery | null> {
  if (!isId(id)) return null;
  return (await readRecord(table, keyOf(org, { action, id }), Delivery)) ?? null;
}

/** The change of a delivery that is pending and has the attempts and the due time that were read. */
const pendingChange = (before: DeliveryPlace, changes: Changes) =>
  change(changes, equal({ state: 'pending' }), unchanged(before, 'attempts', 'due'));

/** The state after an attempt, with a due time if another attempt follows. */
export type Next = { state: 'pending'; due: Micros } | { state: Exclude<Delivery['state'], 'pending'> };

/**
 * Stores an attempt, the new state of its delivery and the new due time, in one transaction
 * (`rules/notifications.md#attempts`). It is no conflict if only the due time was moved since the delivery was read.
 * @param delivery as it was when the attempt began
 * @returns `stale` if another worker has stored this attempt, or the delivery is no longer pending; nothing is written
 */
export async function recordAttempt(
  table: Table,
  org: OrganizationId,
  delivery: DeliveryPlace,
  attempt: Attempt,
  next: Next,
): Promise<'done' | 'stale'> {
  return settle(table, delivery, (before) => {
    const after: DeliveryPlace = { ...before, attempts: attempt.attempt, due: 'due' in next ? next.due : before.due };
    return [
      {
        update: keyOf(org, before),
        ...pendingChange(before, {
          set: { state: next.state, attempts: after.attempts, due: after.due },
          remove: ['toSend'],
        }),
        refused: (old) => moved(old, before),
      },
      { put: { ...attemptKey(org, before.action, monthOf(before.id), before.id, attempt.attempt), v: 1, ...attempt } },
      ...(next.state === 'pending' ? moveDue(org, before, after) : removeDue(org, before)),
    ];
  });
}

/** Discards a delivery, because its target is gone or disabled. @returns as {@link recordAttempt} */
export async function discard(table: Table, org: OrganizationId, delivery: DeliveryPlace): Promise<'done' | 'stale'> {
  return settle(table, delivery, (before) => [
    {
      update: keyOf(org, before),
      ...pendingChange(before, { set: { state: 'discarded' }, remove: ['toSend'] }),
      refused: (old) => moved(old, before),
    },
    ...removeDue(org, before),
  ]);
}

const removeDue = (org: OrganizationId, before: DeliveryPlace): Write[] => moveDue(org, before, null);

const stale = () => 'stale' as const;
type Refusal = 'stale' | { moved: DeliveryPlace };

/** Tells a delivery that only got another due time from one that has changed otherwise. */
function moved(old: Item | undefined, before: DeliveryPlace): Refusal {
  const now = old && Delivery.parse(old);
  return now?.state === 'pending' && now.attempts === before.attempts && now.due !== before.due
    ? { moved: now }
    : stale();
}

async function settle(
  table: Table,
  delivery: DeliveryPlace,
  writes: (before: DeliveryPlace) => Write<Refusal>[],
): Promise<'done' | 'stale'> {
  let { id, action, due, attempts } = delivery;
  return retrying(async () => {
    const outcome = await table.transact<Refusal>(writes({ id, action, due, attempts }));
    if (outcome === 'done' || outcome === 'stale') return outcome;
    ({ id, action, due, attempts } = outcome.moved);
    return 'again';
  });
}

/**
 * Gives a pending delivery another due time, without an attempt.
 * @param delivery with the due time and the attempts that were read
 * @returns `stale` if one of them has changed since, or the delivery is no longer pending; nothing is written
 */
export async function postpone(
  table: Table,
  org: OrganizationId,
  delivery: DeliveryPlace,
  due: Micros,
): Promise<'done' | 'stale'> {
  return table.transact<'stale'>([
    {
      update: keyOf(org, delivery),
      ...pendingChange(delivery, { set: { due }, remove: ['toSend'] }),
      refused: stale,
    },
    ...moveDue(org, delivery, { ...delivery, due }),
  ]);
}

export const DUE_PARTITIONS: readonly number[] = Array.from({ length: DUE_SHARDS }, (_, shard) => shard);

/**
 * Reads pending deliveries of all organizations that are due, the earliest due time first.
 * @param shard one of {@link DUE_PARTITIONS}
 */
export async function dueDeliveries(table: Table, shard: number, now: Micros, limit: number): Promise<DueDelivery[]> {
  const items = await table.query({
    pk: duePartition(shard),
    // In the keys, `#` follows the time. `$` sorts after `#`, so the range includes all keys of that microsecond.
    to: `${String(now).padStart(17, '0')}$`,
    limit,
  });
  return items.map((item) => DueDelivery.parse(item));
}
