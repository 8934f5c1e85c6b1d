import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Uses } from '#shared/table/uses.ts';
import { presentAction } from './present-action.ts';
import { readDelivery } from './records/deliveries.ts';
import { putBackWrites } from './records/put-back.ts';
import { deliveryNotFound } from './rules/sentences.ts';

/** What sending deliveries again writes. */
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
