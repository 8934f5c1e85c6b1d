import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import { presentAction } from './present-action.ts';
import { failedDeliveries } from './records/delivery-pages.ts';
import { putBackFailed } from './records/put-back.ts';

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
