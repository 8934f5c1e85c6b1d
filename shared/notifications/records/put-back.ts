import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { type Micros, plus } from '#shared/base/time.ts';
import { onlyIf, unchanged } from '#shared/table/expressions.ts';
import { type Table, type Write, withRequest } from '#shared/table/table.ts';
import type { Delivery } from '../rules/records.ts';
import { BATCHES_AT_ONCE, deliveryItem, FIRST_DUE_AFTER, moveDue, readDelivery } from './deliveries.ts';

/**
 * The writes that put a delivery back to `pending`, whatever its state is. The relay sends it at once, and the schedule
 * of attempts starts again (`rules/notifications.md#redeliver`).
 * @param delivery as it was read; the write is refused with `again` if the delivery has changed since
 */
export function putBackWrites(org: OrganizationId, delivery: Delivery, now: Micros): Write<'again'>[] {
  const after: Delivery = {
    ...delivery,
    state: 'pending',
    attemptsBefore: delivery.attempts,
    due: plus(now, FIRST_DUE_AFTER),
  };
  return [
    withRequest({
      put: deliveryItem(org, after, true),
      ...onlyIf(unchanged(delivery, 'state', 'attempts', 'due')),
      refused: again,
    }),
    ...moveDue(org, delivery.state === 'pending' ? delivery : null, after),
  ];
}

const isFailed = ({ state }: Delivery): boolean => state === 'dead' || state === 'discarded';

/** Deliveries that one transaction puts back. A failed delivery has no due entry to remove, so each takes two writes. */
const PUT_BACK_AT_ONCE = 50;

/**
 * Puts failed deliveries back (`rules/notifications.md#replay`).
 * @returns how many were put back, without those that another request put back first
 */
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
