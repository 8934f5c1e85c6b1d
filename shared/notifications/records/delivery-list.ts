import { firstIdAt, type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import type { EnvironmentName, FlowName, TrailName } from '#shared/base/names.ts';
import { EPOCH, latestOf, type Micros, plus } from '#shared/base/time.ts';
import { searchMonths } from '#shared/series/month-search.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { cursorIn, readCursorIn } from '#shared/table/cursors.ts';
import { type Item, type Key, keyText, readRecord, type Table } from '#shared/table/table.ts';
import { Attempt, Delivery, type Trigger } from '../rules/records.ts';
import type { UnreadableDelivery } from './delivery-pages.ts';
import { attemptKey, deliveryKey, deliveryListPartition, deliveryPartition } from './keys.ts';

/** Lists the deliveries of an organization, of one action or of all (`rules/notifications.md#delivery-log`). */

/** A filter of deliveries. An absent field matches every delivery. Names are those of the event's time. */
export interface DeliveryFilter {
  action?: number | undefined;
  state?: Delivery['state'] | undefined;
  trigger?: Trigger | undefined;
  flow?: FlowName | undefined;
  trail?: TrailName | undefined;
  environment?: EnvironmentName | undefined;
  /** First and last instant of the event in microseconds, both included. */
  from?: Micros | undefined;
  to?: Micros | undefined;
}

/** A delivery with its last attempt; null if no attempt was made. */
export interface ListedDelivery {
  delivery: Delivery;
  last: Attempt | null;
}

export interface DeliveryListPage {
  deliveries: (ListedDelivery | UnreadableDelivery)[];
  /** Cursor of the next page; null if no older delivery is left. */
  next: string | null;
}

/** Months of the rounds of a page. Each month costs two calls: its entries, and the deliveries that they name. */
const ROUNDS = [1, 2];
/** Entries per month and round. The deliveries that they name are read with one call. */
const MOST_READ = 100;

/** Identifies a list by its filter. A cursor is valid only for the list that returned it. */
const listOf = (org: OrganizationId, filter: DeliveryFilter): string[] => [
  org,
  'deliveries',
  JSON.stringify(
    [
      ...[filter.action, filter.state, filter.trigger, filter.flow, filter.trail],
      ...[filter.environment, filter.from, filter.to],
    ].map((part) => part ?? null),
  ),
];

/**
 * Marks the cursor of a search that ended between the attempts of a delivery of one action. The next page begins with this
 * delivery, whose attempts were examined.
 */
const AT = 'at';

function cursorOf(list: readonly string[], key: string): string {
  const [id = '', attempt] = key.split('#');
  return attempt === undefined ? cursorIn(list, id) : cursorIn([...list, AT], id);
}

/** @returns the key before which the page begins; null if the cursor does not belong to this list */
export function readDeliveryCursor(org: OrganizationId, filter: DeliveryFilter, cursor: string): string | null {
  const list = listOf(org, filter);
  const at = readCursorIn([...list, AT], cursor);
  // A space sorts before the `#` of attempts, so the range ends with the delivery itself.
  return at === null ? readCursorIn(list, cursor) : `${at} `;
}

/**
 * Reads one page of deliveries, newest event first. The number of reads is bounded, so a page can be short or empty and
 * still have a next page.
 *
 * @param after result of {@link readDeliveryCursor}; undefined = the first page
 */
export async function deliveryListPage(
  table: Table,
  org: OrganizationId,
  filter: DeliveryFilter,
  after: string | undefined,
  limit: number,
  now: Micros,
): Promise<DeliveryListPage> {
  const { action, from, to, ...others } = filter;
  const end = to === undefined || to >= now ? undefined : firstIdAt(plus(to, 1000));
  const { found, next } = await searchMonths(table, {
    partition: (month) =>
      action === undefined ? deliveryListPartition(org, month) : deliveryPartition(org, action, month),
    // The id holds the creation time of the organization. There are no older events.
    oldest: latestOf(from ?? EPOCH, timeOfId(org)),
    newest: now,
    before: after ?? end,
    limit,
    // The partition of an action holds the attempts too, so a page of it reads more items than deliveries.
    isSelective: action !== undefined || Object.values(others).some((value) => value !== undefined),
    filteredRead: MOST_READ,
    mostRead: MOST_READ,
    rounds: ROUNDS,
    match: async (items) => {
      const stored = action === undefined ? await readListed(table, org, items) : items.map(deliveryItem);
      return stored.map((item) => item && matching(item, filter));
    },
  });
  return {
    deliveries: await withLastAttempts(table, org, found),
    next: next === undefined ? null : cursorOf(listOf(org, filter), next),
  };
}

/** Attempts lie between the deliveries of an action. */
const deliveryItem = (item: Item): Item | undefined => (item.sk.includes('#') ? undefined : item);

/** Reads the deliveries that entries of the list name, in the order of the entries. */
async function readListed(table: Table, org: OrganizationId, entries: readonly Item[]): Promise<(Item | undefined)[]> {
  const keys = entries.map(({ sk, action }): Key => deliveryKey(org, Number(action), monthOf(sk), sk));
  const stored = await table.getMany(keys);
  return keys.map((key) => stored.get(keyText(key)));
}

/** A delivery that cannot be read matches every filter, because its fields are unknown. */
function matching(item: Item, filter: DeliveryFilter): Delivery | UnreadableDelivery | undefined {
  const { data, error } = Delivery.safeParse(item);
  if (!data) return { id: item.sk, unreadable: error };
  const { notice, state } = data;
  const { from = 0, to = Number.POSITIVE_INFINITY } = filter;
  const isWanted =
    (filter.state ?? state) === state &&
    (filter.trigger ?? notice.trigger) === notice.trigger &&
    (filter.flow ?? notice.flow) === notice.flow &&
    (filter.trail ?? notice.trail) === notice.trail &&
    (filter.environment ?? notice.environment) === notice.environment &&
    notice.at >= from &&
    notice.at <= to;
  return isWanted ? data : undefined;
}

/** Reads the last attempts of deliveries in one batch, in the order of the deliveries. */
export async function withLastAttempts(
  table: Table,
  org: OrganizationId,
  found: readonly (Delivery | UnreadableDelivery)[],
): Promise<(ListedDelivery | UnreadableDelivery)[]> {
  const keyOf = ({ action, id, attempts }: Delivery): Key => attemptKey(org, action, monthOf(id), id, attempts);
  const stored = await table.getMany(
    found.flatMap((one) => ('unreadable' in one || one.attempts === 0 ? [] : [keyOf(one)])),
  );
  return found.map((delivery) => {
    if ('unreadable' in delivery) return delivery;
    const item = stored.get(keyText(keyOf(delivery)));
    if (!item) return { delivery, last: null };
    const { data, error } = Attempt.safeParse(item);
    return data ? { delivery, last: data } : { id: delivery.id, unreadable: error };
  });
}

/** Reads the record of a delivery's last attempt; null if no attempt was made. */
export async function readLastAttempt(
  table: Table,
  org: OrganizationId,
  { id, action, attempts: made }: { id: Id; action: number; attempts: number },
): Promise<Attempt | null> {
  if (made === 0) return null;
  return (await readRecord(table, attemptKey(org, action, monthOf(id), id, made), Attempt)) ?? null;
}
