import * as z from 'zod';
import { type Id, isId, OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { again, retrying } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { type Item, keyText, putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { type Attempt, Delivery, deliveryId, type Notice, type Target } from '../rules/records.ts';
import { attemptKey, DUE_SHARDS, deliveryKey, dueKey, duePartition } from './keys.ts';

/**
 * Deliveries: one event for one target each, the truth about its sending (design §2.8). While one is pending, an entry
 * in the list of due deliveries says when it is due; the two change together or not at all.
 */

/** A delivery whose message is lost is found by its first due time, so much later. */
export const FIRST_DUE_AFTER: Micros = 60_000_000;

/** Deliveries that are created in one transaction: each has two items. */
const CREATED_AT_ONCE = 25;
const BATCHES_AT_ONCE = 4;

/** What is known of a delivery where only its sending matters. */
export type DeliveryPlace = Pick<Delivery, 'id' | 'action' | 'due' | 'attempts'>;

/** A delivery that is due, from the list of all organizations. */
export const DueDelivery = z.object({
  org: OrganizationId,
  id: z.string(),
  action: z.int(),
  due: z.number(),
  attempts: z.int(),
});
export type DueDelivery = z.infer<typeof DueDelivery>;

/** The delivery of an event to a target, before anything was sent: the same, but for its times, whoever makes it. */
export const newDelivery = (notice: Notice, action: number, target: Target, now: Micros): Delivery => ({
  id: deliveryId(notice.event, notice.at, action, target.key),
  ...{ action, target, notice, state: 'pending', attempts: 0, due: now + FIRST_DUE_AFTER, created: now },
});

const keyOf = (org: OrganizationId, { action, id }: { action: number; id: Id }) =>
  deliveryKey(org, action, monthOf(id), id);

/** @param toSend asks the relay, which sees the item in the table's stream, to send the message */
const itemOf = (org: OrganizationId, delivery: Delivery, toSend: boolean): Item => ({
  ...keyOf(org, delivery),
  v: 1,
  ...delivery,
  ...(toSend && { toSend }),
});

/**
 * The delivery that an item of the table's stream asks the relay to send: one that an endpoint created or put back, as
 * long as no attempt was made and no due time given since. The same item may ask again, for the same attempt.
 * @returns null for every other item
 * @throws ZodError for such an item that is no delivery
 */
export function deliveryToSend(item: Item): Delivery | null {
  return item['toSend'] === true ? Delivery.parse(item) : null;
}

function dueWrite(org: OrganizationId, { id, action, due, attempts }: DeliveryPlace): Write {
  const entry: DueDelivery = { org, id, action, due, attempts };
  return { put: { ...dueKey(due, org, action, id), v: 1, ...entry } };
}

/** Moves the entry in the list of due deliveries, or takes it away. */
function moveDue(org: OrganizationId, from: DeliveryPlace | null, to: DeliveryPlace | null): Write[] {
  const isSame = from?.due === to?.due;
  return [
    ...(from && !isSame ? [{ remove: dueKey(from.due, org, from.action, from.id) }] : []),
    ...(to ? [dueWrite(org, to)] : []),
  ];
}

/**
 * The writes that put new deliveries into the transaction of a request: the relay sees them in the table's stream and
 * sends them, since nothing is sent after a commit (design §2.7).
 */
export const deliveryWrites = (org: OrganizationId, deliveries: readonly Delivery[]): Write<never>[] =>
  deliveries.flatMap((delivery) => [putIfAbsent<never>(itemOf(org, delivery, true)), dueWrite(org, delivery)]);

/**
 * Creates the deliveries that are not there yet; whoever creates them sends their messages.
 * @returns all of them as they are now, in the order given
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

const batchesOf = <T>(things: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(things.length / size) }, (_, i) => things.slice(i * size, (i + 1) * size));

/** @returns those that were there already */
async function createBatch(table: Table, org: OrganizationId, batch: readonly Delivery[]): Promise<Delivery[]> {
  let missing = batch;
  let existing: Delivery[] = [];
  // Each refusal means that one of the missing is there by now, so that this ends.
  while (missing.length > 0) {
    const outcome = await table.transact(
      missing.flatMap((delivery) => [putIfAbsent(itemOf(org, delivery, false), again), dueWrite(org, delivery)]),
    );
    if (outcome === 'done') break;
    // Mostly nothing is there; only where something is, all are looked for.
    const found = await table.getMany(batch.map((delivery) => keyOf(org, delivery)));
    existing = [...found.values()].map((item) => Delivery.parse(item));
    missing = batch.filter((delivery) => !found.has(keyText(keyOf(org, delivery))));
  }
  return existing;
}

/** @param id from anywhere: what is no id is the id of no delivery */
export async function readDelivery(
  table: Table,
  org: OrganizationId,
  action: number,
  id: string,
): Promise<Delivery | null> {
  if (!isId(id)) return null;
  const item = await table.get(keyOf(org, { action, id }));
  return item ? Delivery.parse(item) : null;
}

const names = { '#state': 'state', '#due': 'due' };
const AS_SEEN = '#state = :pending AND attempts = :attempts AND #due = :due';
const seen = ({ attempts, due }: DeliveryPlace) => ({ ':pending': 'pending', ':attempts': attempts, ':due': due });

/** What an attempt leaves: with a due time where another one follows. */
export type Next = { state: 'pending'; due: Micros } | { state: Exclude<Delivery['state'], 'pending'> };

/**
 * Writes an attempt into the books and what follows from it, in one transaction. A due time that was moved meanwhile
 * does not matter.
 * @param delivery as it was when the attempt began
 * @returns `stale` where this attempt was made by another, or the delivery was decided
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
        UpdateExpression: 'SET #state = :state, attempts = :made, #due = :next REMOVE toSend',
        ConditionExpression: AS_SEEN,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: {
          ...seen(before),
          ':state': next.state,
          ':made': attempt.attempt,
          ':next': after.due,
        },
        refused: (old) => moved(old, before),
      },
      { put: { ...attemptKey(org, before.action, monthOf(before.id), before.id, attempt.attempt), v: 1, ...attempt } },
      ...(next.state === 'pending' ? moveDue(org, before, after) : removeDue(org, before)),
    ];
  });
}

/** Decides that nothing will be sent: the target is gone or disabled. @returns as {@link recordAttempt} */
export async function discard(table: Table, org: OrganizationId, delivery: DeliveryPlace): Promise<'done' | 'stale'> {
  return settle(table, delivery, (before) => [
    {
      update: keyOf(org, before),
      UpdateExpression: 'SET #state = :state REMOVE toSend',
      ConditionExpression: AS_SEEN,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ...seen(before), ':state': 'discarded' },
      refused: (old) => moved(old, before),
    },
    ...removeDue(org, before),
  ]);
}

const removeDue = (org: OrganizationId, before: DeliveryPlace): Write[] => moveDue(org, before, null);

const stale = () => 'stale' as const;
type Refusal = 'stale' | { moved: DeliveryPlace };

/** A pending delivery with the same attempts was only given another due time. */
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
 * @returns `stale` where either has changed since, or nothing is pending any more
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
      UpdateExpression: 'SET #due = :next REMOVE toSend',
      ConditionExpression: AS_SEEN,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ...seen(delivery), ':next': due },
      refused: stale,
    },
    ...moveDue(org, delivery, { ...delivery, due }),
  ]);
}

/**
 * The writes that have a delivery sent once more, whatever became of it: by the relay, at once, with the whole schedule
 * of attempts before it (design §6).
 * @param delivery as it was read; refused with `again` where it has changed since
 */
export function putBackWrites(org: OrganizationId, delivery: Delivery, now: Micros): Write<'again'>[] {
  const after: Delivery = {
    ...delivery,
    state: 'pending',
    attemptsBefore: delivery.attempts,
    due: now + FIRST_DUE_AFTER,
  };
  return [
    {
      put: itemOf(org, after, true),
      ConditionExpression: '#state = :state AND attempts = :attempts AND #due = :due',
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ':state': delivery.state, ':attempts': delivery.attempts, ':due': delivery.due },
      refused: again,
    },
    ...moveDue(org, delivery.state === 'pending' ? delivery : null, after),
  ];
}

const isFailed = ({ state }: Delivery): boolean => state === 'dead' || state === 'discarded';

/** Deliveries that are put back in one transaction: a failed one is in no list, so that each takes two writes. */
const PUT_BACK_AT_ONCE = 50;

/** Has failed deliveries sent once more. @returns how many; those that somebody else put back first do not count */
export async function putBackFailed(
  table: Table,
  org: OrganizationId,
  deliveries: readonly Delivery[],
  now: Micros,
): Promise<number> {
  let count = 0;
  await inParallel(batchesOf(deliveries.filter(isFailed), PUT_BACK_AT_ONCE), BATCHES_AT_ONCE, async (batch) => {
    const outcome = await table.transact(batch.flatMap((delivery) => putBackWrites(org, delivery, now)));
    if (outcome === 'done') count += batch.length;
    else for (const { action, id } of batch) count += (await putBackOne(table, org, action, id, now)) ? 1 : 0;
  });
  return count;
}

const putBackOne = (table: Table, org: OrganizationId, action: number, id: Id, now: Micros): Promise<boolean> =>
  retrying(async () => {
    const delivery = await readDelivery(table, org, action, id);
    if (!delivery || !isFailed(delivery)) return false;
    const outcome = await table.transact(putBackWrites(org, delivery, now));
    return outcome === 'done' ? true : outcome;
  });

export const DUE_PARTITIONS: readonly number[] = Array.from({ length: DUE_SHARDS }, (_, shard) => shard);

/**
 * Pending deliveries of all organizations that are due, the longest due first.
 * @param shard one of {@link DUE_PARTITIONS}
 */
export async function dueDeliveries(table: Table, shard: number, now: Micros, limit: number): Promise<DueDelivery[]> {
  const items = await table.query({
    pk: duePartition(shard),
    // Keys go on with `#` after the time: this is past every one of that microsecond.
    to: `${String(now).padStart(17, '0')}$`,
    limit,
  });
  return items.map((item) => DueDelivery.parse(item));
}
