import { type Id, newId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Uses } from '#shared/table/uses.ts';
import { presentAction } from './change-action.ts';
import { deliveryWrites, newDelivery } from './records/deliveries.ts';
import { testNotice } from './rules/triggers.ts';

export const TEST_ACTION: Uses = { writes: ['DELIVERY', 'DELIVERIES', '@DUE'] };

/** Ids of a test event and of its deliveries, in the order of the targets. */
export interface TestEvent {
  event: Id;
  deliveries: Id[];
}

/**
 * Sends a marked test event to every target of an action (rules/notifications.md#test-events).
 *
 * @throws ServiceError `not-found`
 */
export async function testAction(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<TestEvent>,
  number: number,
): Promise<TestEvent> {
  const { org } = by;
  const action = await presentAction(table, org, { number });
  const now = clock.now();
  const event = newId(now);
  const notice = testNotice(action, org.name, event, now);
  const deliveries = action.targets.map((target) => newDelivery(notice, action.number, target, now));
  const outcome = { event, deliveries: deliveries.map(({ id }) => id) };
  await table.transact([...by.claim(outcome), ...deliveryWrites(org.id, deliveries)]);
  return outcome;
}
