import type { Id } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { presentAction } from './change-action.ts';
import { readActionNames } from './records/actions.ts';
import {
  type DeliveryFilter,
  type DeliveryListPage,
  deliveryListPage,
  type ListedDelivery,
  readDeliveryCursor,
} from './records/delivery-list.ts';
import {
  type DeliveriesPage,
  type DeliveryWithAttempts,
  deliveriesPage,
  readCursor,
  type UnreadableDelivery,
} from './records/delivery-pages.ts';

export type { DeliveryWithAttempts, ListedDelivery, UnreadableDelivery };
export { readCursor, readDeliveryCursor };

/**
 * Reads one page of the deliveries of an action, newest event first (rules/notifications.md#list-of-deliveries).
 *
 * @param after from {@link readCursor}; undefined = the first page
 * @throws ServiceError `not-found`
 */
export async function listDeliveries(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  number: number,
  { after, limit }: { after: Id | undefined; limit: number },
): Promise<DeliveriesPage> {
  const action = await presentAction(table, org, { number });
  return deliveriesPage(table, org.id, action, after, limit, clock.now());
}

/**
 * Reads one page of the deliveries of all actions that a filter selects, newest event first
 * (rules/notifications.md#delivery-log).
 *
 * @param after from {@link readDeliveryCursor}; undefined = the first page
 * @returns the page, and the present names of its actions by number, without those of deleted actions
 */
export async function listAllDeliveries(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  filter: DeliveryFilter,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<DeliveryListPage & { names: ReadonlyMap<number, string> }> {
  const page = await deliveryListPage(table, org.id, filter, after, limit, clock.now());
  const shown = page.deliveries.flatMap((found) => ('unreadable' in found ? [] : [found.delivery.action]));
  return { ...page, names: await readActionNames(table, org.id, shown) };
}
