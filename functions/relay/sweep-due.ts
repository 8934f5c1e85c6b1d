import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { deliveryMessage } from '#shared/notifications/messages.ts';
import { DUE_PARTITIONS, dueDeliveries, postpone } from '#shared/notifications/records/deliveries.ts';
import type { DeliveryServices } from '#shared/notifications/services.ts';

/** A delivery whose message is under way is left alone for so long after its due time. */
const GRACE: Micros = 60_000_000;
/** What was sent again is looked at again so much later: a queue that is behind is not filled further. */
const AGAIN_AFTER: Micros = 240_000_000;
/** Deliveries that are read at once. */
const PAGE = 100;
const WIDTH = 8;
/** Below this many milliseconds nothing further is begun. */
const ENOUGH_MILLIS = 10_000;

export interface DueSweepOptions {
  /** Milliseconds that are left for it; what is left undone then is the next sweep's. */
  remainingMillis?: () => number;
}

/**
 * Sends deliveries whose due time has passed without an attempt: those that wait longer than the queue holds messages
 * back, those of open circuits, and those whose message was lost (design §6).
 * @returns how many were sent
 */
export async function sweepDue(
  { table, clock, deliveries }: DeliveryServices,
  { remainingMillis = () => Number.POSITIVE_INFINITY }: DueSweepOptions = {},
): Promise<number> {
  let sent = 0;
  for (const shard of DUE_PARTITIONS) {
    for (let more = true; more && remainingMillis() > ENOUGH_MILLIS; ) {
      const now = clock.now();
      const due = await dueDeliveries(table, shard, now - GRACE, PAGE);
      const mine: typeof due = [];
      await inParallel(due, WIDTH, async (delivery) => {
        // Another sweep, or an attempt, may have taken it meanwhile.
        if ((await postpone(table, delivery.org, delivery, now + AGAIN_AFTER)) === 'done') mine.push(delivery);
      });
      await deliveries.send(mine.map((delivery) => deliveryMessage(delivery.org, delivery)));
      sent += mine.length;
      more = due.length === PAGE && mine.length > 0;
    }
  }
  return sent;
}
