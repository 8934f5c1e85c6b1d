import * as z from 'zod';
import { firstIdAt, type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { monthsBetween } from '#shared/series/series-entries.ts';
import { cursorIn, readCursorIn } from '#shared/table/cursors.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { Attempt, Delivery } from '../rules/records.ts';
import { deliveryPartition } from './keys.ts';

/**
 * The deliveries of an action in order of their events' times. Partitions are cut by month; the attempts of a delivery
 * lie behind it in its partition.
 */

/** Whose deliveries are read, and from when on there can be any: nothing older than the action is told. */
export interface Owner {
  number: number;
  created: Micros;
}

/** A delivery with its attempts, the first one first. */
const ToldDelivery = z.object({ delivery: Delivery, attempts: z.array(Attempt) });
export type ToldDelivery = z.infer<typeof ToldDelivery>;

/** A delivery that could not be read: lists show a placeholder in its place, and the log why (house style 17). */
export interface UnreadableDelivery {
  id: Id;
  unreadable: unknown;
}

export interface DeliveriesPage {
  deliveries: (ToldDelivery | UnreadableDelivery)[];
  /** Where the next page begins; null on the last one. */
  next: string | null;
}

/** Months of which the newest deliveries are looked for at the same time. */
const MONTHS_AT_ONCE = 6;
/** Most deliveries have one attempt. */
const ITEMS_PER_DELIVERY = 2;

/**
 * One page of an action's deliveries, newest event first.
 * @param after the delivery that the page begins behind, from {@link readCursor}; the newest page when absent
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
  const found: (ToldDelivery | UnreadableDelivery)[] = [];
  while (left.length > 0 && found.length <= limit) {
    const wanted = limit + 1 - found.length;
    const parts = left
      .splice(0, MONTHS_AT_ONCE)
      .map((month) => newestOfMonth(table, deliveryPartition(org, number, month), after, wanted));
    found.push(...(await Promise.all(parts)).flat());
  }
  const deliveries = found.slice(0, limit);
  const last = deliveries.at(-1);
  return { deliveries, next: found.length > limit && last ? cursorOf(org, number, idOf(last)) : null };
}

const idOf = (told: ToldDelivery | UnreadableDelivery): Id => ('unreadable' in told ? told.id : told.delivery.id);

/** The newest deliveries of a partition, below `after`. Read backwards, the attempts of each come before it. */
async function newestOfMonth(
  table: Table,
  pk: string,
  after: Id | undefined,
  wanted: number,
): Promise<(ToldDelivery | UnreadableDelivery)[]> {
  const found: (ToldDelivery | UnreadableDelivery)[] = [];
  let behind = after;
  let attempts: Item[] = [];
  for (;;) {
    const limit = (wanted - found.length) * ITEMS_PER_DELIVERY + 1;
    const items = await table.query({ pk, newestFirst: true, limit, ...(behind !== undefined && { to: behind }) });
    for (const item of items) {
      // The bound is in the range: it was read before.
      if (item.sk === behind) continue;
      if (item.sk.includes('#')) {
        attempts.push(item);
        continue;
      }
      found.push(told(item, attempts.reverse()));
      attempts = [];
      if (found.length === wanted) return found;
    }
    if (items.length < limit) return found;
    behind = items.at(-1)?.sk;
  }
}

function told(item: Item, attempts: readonly Item[]): ToldDelivery | UnreadableDelivery {
  const { data, error } = ToldDelivery.safeParse({ delivery: item, attempts });
  return data ?? { id: item.sk, unreadable: error };
}

const cursorOf = (org: OrganizationId, action: number, after: Id): string => cursorIn([org, String(action)], after);

/** @returns the delivery that a page begins behind; null for anything that was not given for this very list */
export const readCursor = (org: OrganizationId, action: number, cursor: string): Id | null =>
  readCursorIn([org, String(action)], cursor);

/** Items read at a time while failed deliveries are looked for. */
const LOOKED_AT_ONCE = 500;

export interface Stretch {
  deliveries: Delivery[];
  /** The event time up to which everything was looked at; null where nothing is left. */
  until: Micros | null;
}

/**
 * Deliveries that were given up on, dead or discarded, whose event happened at or after an instant, oldest first.
 * @param most at most about so many deliveries are given, and `mostItems` items looked at
 */
export async function failedDeliveries(
  table: Table,
  org: OrganizationId,
  { number, created }: Owner,
  since: Micros,
  now: Micros,
  { most, mostItems }: { most: number; mostItems: number },
): Promise<Stretch> {
  const start = Math.max(since, created);
  if (start > now) return { deliveries: [], until: null };
  const deliveries: Delivery[] = [];
  let looked = 0;
  let from = firstIdAt(start);
  for (const month of monthsBetween(start, now)) {
    for (;;) {
      if (deliveries.length >= most || looked >= mostItems) return { deliveries, until: timeOfId(from.slice(0, 32)) };
      const items = await table.query({ pk: deliveryPartition(org, number, month), from, limit: LOOKED_AT_ONCE });
      looked += items.length;
      deliveries.push(...items.filter(isFailed).map((item) => Delivery.parse(item)));
      const last = items.at(-1);
      if (!last || items.length < LOOKED_AT_ONCE) break;
      // Behind the last one that was looked at; `~` is past every number of an attempt.
      from = last.sk.includes('#') ? `${last.sk}~` : `${last.sk}#`;
    }
  }
  return { deliveries, until: null };
}

const isFailed = ({ sk, state }: Item): boolean => !sk.includes('#') && (state === 'dead' || state === 'discarded');
