import { retrying } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { presentAction } from './change-action.ts';
import { readDelivery } from './records/deliveries.ts';
import { failedDeliveries } from './records/delivery-pages.ts';
import { putBackFailed, putBackWrites } from './records/put-back.ts';
import { deliveryNotFound } from './rules/sentences.ts';

export const SEND_AGAIN: Uses = { writes: ['DELIVERY', '@DUE'], removes: ['@DUE'] };

/**
 * Sends one delivery again under its own id, whatever its state is (rules/notifications.md#redeliver).
 *
 * @throws ServiceError `not-found` if there is no such action or no such delivery of it
 */
export async function redeliver(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<void>,
  action: number,
  id: string,
) {
  const { org } = by;
  const { number } = await presentAction(table, org, { number: action });
  await retrying(async () => {
    const delivery = await readDelivery(table, org.id, number, id);
    if (!delivery) throw deliveryNotFound();
    return table.transact<'again'>([...by.claim(), ...putBackWrites(org.id, delivery, clock.now())]);
  });
}

/** The most deliveries and items of one call, so that the call ends within the function's time limit. */
const LIMITS = { most: 1_000, mostItems: 20_000 };

export interface Replayed {
  /** How many deliveries are sent again. */
  count: number;
  /** The event time up to which all deliveries were examined; null if all were examined. */
  until: Micros | null;
}

/**
 * Sends failed deliveries of events at or after an instant again: dead ones, and discarded ones, for the targets that the
 * action has now (rules/notifications.md#replay).
 *
 * @throws ServiceError `not-found`
 */
export async function replayDeliveries(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<Replayed>,
  number: number,
  since: Micros,
): Promise<Replayed> {
  const { org } = by;
  const action = await presentAction(table, org, { number });
  const now = clock.now();
  const { deliveries, until } = await failedDeliveries(table, org.id, action, since, now, LIMITS);
  const present = new Set(action.targets.map(({ key }) => key));
  const failed = deliveries.filter(({ target }) => present.has(target.key));
  const replayed = { count: await putBackFailed(table, org.id, failed, now), until };
  // The deliveries are put back already. The claim only stores the count, for a repetition of the request.
  await storeClaim(table, by.claim(replayed));
  return replayed;
}
