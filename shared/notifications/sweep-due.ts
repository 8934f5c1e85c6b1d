import { inParallel } from '#shared/base/parallel.ts';
import { type Duration, minus, plus } from '#shared/base/time.ts';
import { deliveryMessage } from './messages.ts';
import { DUE_PARTITIONS, dueDeliveries, postpone } from './records/deliveries.ts';
import type { DeliveryServices } from './services.ts';

/** The sweep skips a delivery for this time after its due time, because its message may still be under way. */
const GRACE: Duration = 60_000_000;
/** The new due time of a delivery that the sweep sends. It is late enough that a slow queue is not filled further. */
const AGAIN_AFTER: Duration = 240_000_000;
/** Deliveries of one query. */
const PAGE = 100;
const WIDTH = 8;
/** With fewer milliseconds left, no further page is read. */
const ENOUGH_MILLIS = 10_000;

interface DueSweepOptions {
  /** Returns the milliseconds that are left. The next sweep handles the deliveries that this one does not reach. */
  remainingMillis?: () => number;
}

/**
 * Sends messages of deliveries whose due time has passed without an attempt (`rules/notifications.md#lost-messages`):
 * their delay is longer than the queue can hold a message back, their target's circuit is open, or their message was
 * lost.
 *
 * @returns how many messages were sent, and for how long the oldest delivery had been due when the sweep found it; 0 if none was
 */
export async function sweepDue(
  { table, clock, deliveries }: DeliveryServices,
  { remainingMillis = () => Number.POSITIVE_INFINITY }: DueSweepOptions = {},
): Promise<{ sent: number; oldest: Duration }> {
  let sent = 0;
  let oldest: Duration = 0;
  for (const shard of DUE_PARTITIONS) {
    for (let more = true; more && remainingMillis() > ENOUGH_MILLIS; ) {
      const now = clock.now();
      const due = await dueDeliveries(table, shard, minus(now, GRACE), PAGE);
      // The earliest comes first. Its due time is late if earlier sweeps did not reach the delivery.
      if (due[0]) oldest = Math.max(oldest, now - due[0].due);
      const postponed: typeof due = [];
      await inParallel(due, WIDTH, async (delivery) => {
        // The condition fails if another sweep or an attempt was faster. Then this sweep sends no message.
        if ((await postpone(table, delivery.org, delivery, plus(now, AGAIN_AFTER))) === 'done')
          postponed.push(delivery);
      });
      await deliveries.send(postponed.map((delivery) => deliveryMessage(delivery.org, delivery)));
      sent += postponed.length;
      more = due.length === PAGE && postponed.length > 0;
    }
  }
  return { sent, oldest };
}
