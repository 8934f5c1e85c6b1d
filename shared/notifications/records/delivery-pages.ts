import * as z from 'zod';
import { firstIdAt, type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { latestOf, type Micros } from '#shared/base/time.ts';
import { monthsBetween } from '#shared/series/series-entries.ts';
import { cursorIn, readCursorIn } from '#shared/table/cursors.ts';
import type { PartitionKey } from '#shared/table/items.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { Attempt, Delivery } from '../rules/records.ts';
import { deliveryPartition } from './keys.ts';

/**
 * Lists the deliveries of an action by the times of their events. Each month has a partition, and the attempts of a
 * delivery sort directly after it.
 */

/** The action whose deliveries are read. It has no deliveries of events before it was created. */
interface Owner {
  number: number;
  created: Micros;
}

/** A delivery with its attempts, in the order in which they were made. */
const DeliveryWithAttempts = z.object({ delivery: Delivery, attempts: z.array(Attempt) });
export type DeliveryWithAttempts = z.infer<typeof DeliveryWithAttempts>;

/** A delivery that cannot be parsed. Lists show a placeholder, the log has the cause (`rules/lists.md#unreadable-records`). */
export interface UnreadableDelivery {
  id: Id;
  unreadable: unknown;
}

export interface DeliveriesPage {
  deliveries: (DeliveryWithAttempts | UnreadableDelivery)[];
  /** Cursor of the next page; null on the last page. */
  next: string | null;
}

/** Months that are read at the same time, if the newest month did not fill the page. */
const MONTHS_AT_ONCE = 6;
/** Most deliveries have one attempt. */
const ITEMS_PER_DELIVERY = 2;

/**
 * Reads one page of an action's deliveries, newest event first (`rules/notifications.md#list-of-deliveries`).
 * @param after last delivery of the page before, from {@link readCursor}; undefined = the first page
 */
export async function deliveriesPage(
  table: Table,
  org: OrganizationId,
  { number, created }: Owner,
  after: Id | undefined,
  limit: number,
  now: Micros,
): Promise<DeliveriesPage> {
  const newest = after === undefined ? now : timeOfId(after);
  const left = monthsBetween(created, newest).reverse();
  const found: (DeliveryWithAttempts | UnreadableDelivery)[] = [];
  for (let monthsAtOnce = 1; left.length > 0 && found.length <= limit; monthsAtOnce = MONTHS_AT_ONCE) {
    const wanted = limit + 1 - found.length;
    const parts = left
      .splice(0, monthsAtOnce)
      .map((month) => newestOfMonth(table, deliveryPartition(org, number, month), after, wanted));
    found.push(...(await Promise.all(parts)).flat());
  }
  const deliveries = found.slice(0, limit);
  const last = deliveries.at(-1);
  return { deliveries, next: found.length > limit && last ? cursorOf(org, number, idOf(last)) : null };
}

const idOf = (found: DeliveryWithAttempts | UnreadableDelivery): Id =>
  'unreadable' in found ? found.id : found.delivery.id;

/** Reads the newest deliveries of a partition, below `after`. Read backwards, attempts come before their delivery. */
async function newestOfMonth(
  table: Table,
  pk: PartitionKey,
  after: Id | undefined,
  wanted: number,
): Promise<(DeliveryWithAttempts | UnreadableDelivery)[]> {
  const found: (DeliveryWithAttempts | UnreadableDelivery)[] = [];
  let behind = after;
  let attempts: Item[] = [];
  for (;;) {
    const limit = (wanted - found.length) * ITEMS_PER_DELIVERY + 1;
    const items = await table.query({ pk, newestFirst: true, limit, ...(behind !== undefined && { to: behind }) });
    for (const item of items) {
      // The upper bound of a range is inclusive: this item was read by the query before.
      if (item.sk === behind) continue;
      if (item.sk.includes('#')) {
        attempts.push(item);
        continue;
      }
      found.push(parseDelivery(item, attempts.reverse()));
      attempts = [];
      if (found.length === wanted) return found;
    }
    if (items.length < limit) return found;
    behind = items.at(-1)?.sk;
  }
}

function parseDelivery(item: Item, attempts: readonly Item[]): DeliveryWithAttempts | UnreadableDelivery {
  const { data, error } = DeliveryWithAttempts.safeParse({ delivery: item, attempts });
  return data ?? { id: item.sk, unreadable: error };
}

const cursorOf = (org: OrganizationId, action: number, after: Id): string => cursorIn([org, String(action)], after);

/**
 * Reads the cursor of a page.
 * @returns the last delivery of the page before; null for a cursor of another list or any other text
 */
export const readCursor = (org: OrganizationId, action: number, cursor: string): Id | null =>
  readCursorIn([org, String(action)], cursor);

/** Items of one query for failed deliveries. */
const ITEMS_PER_QUERY = 500;

interface FailedDeliveries {
  deliveries: Delivery[];
  /** The event time up to which all deliveries were examined; null if all were examined. */
  until: Micros | null;
}

/**
 * Reads the dead and discarded deliveries whose event happened at or after an instant, oldest first
 * (`rules/notifications.md#replay`).
 * @param most about the most deliveries that are returned; `mostItems` about the most items that are read
 */
export async function failedDeliveries(
  table: Table,
  org: OrganizationId,
  { number, created }: Owner,
  since: Micros,
  now: Micros,
  { most, mostItems }: { most: number; mostItems: number },
): Promise<FailedDeliveries> {
  const start = latestOf(since, created);
  if (start > now) return { deliveries: [], until: null };
  const deliveries: Delivery[] = [];
  let examined = 0;
  let from = firstIdAt(start);
  for (const month of monthsBetween(start, now)) {
    for (;;) {
      if (deliveries.length >= most || examined >= mostItems) return { deliveries, until: timeOfId(from.slice(0, 32)) };
      const items = await table.query({ pk: deliveryPartition(org, number, month), from, limit: ITEMS_PER_QUERY });
      examined += items.length;
      deliveries.push(...items.filter(isFailed).map((item) => Delivery.parse(item)));
      const last = items.at(-1);
      if (!last || items.length < ITEMS_PER_QUERY) break;
      // The next query begins after this item. `~` sorts after every number of an attempt.
      from = last.sk.includes('#') ? `${last.sk}~` : `${last.sk}#`;
    }
  }
  return { deliveries, until: null };
}

const isFailed = ({ sk, state }: Item): boolean => !sk.includes('#') && (state === 'dead' || state === 'discarded');
