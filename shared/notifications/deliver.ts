import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { type Item, keyText } from '#shared/table/table.ts';
import { type Explaining, explainMoments } from './explain-moments.ts';
import { deliveryMessage } from './messages.ts';
import { type ActionVersions, readActions } from './records/actions.ts';
import { createDeliveries, newDelivery } from './records/deliveries.ts';
import { readEventNames } from './records/event-names.ts';
import { deliveryKey } from './records/keys.ts';
import type { ActionRecord, Delivery, Notice } from './rules/records.ts';
import { matches, momentNotice, versionInForce } from './rules/triggers.ts';
import type { DeliveryServices } from './services.ts';

/**
 * Creates a delivery for each event and each target of a matching action, and sends its message
 * (`rules/notifications.md#from-event-to-delivery`). Reads the actions of the organization with one Query. A repeated
 * call creates nothing twice.
 */
export async function deliverEvents(
  services: DeliveryServices,
  { org, moments }: EventNews,
  explaining: Explaining,
): Promise<void> {
  const due = await deliveriesOf(services.table, org, moments, services.clock.now());
  await deliver(services, org, await explainMoments(explaining, org, moments, due));
}

/** Creates the deliveries that do not exist yet, and sends a message for each delivery without an attempt. */
export async function deliver(
  { table, deliveries }: DeliveryServices,
  org: OrganizationId,
  due: readonly Delivery[],
): Promise<void> {
  const created = await createDeliveries(table, org, due);
  // The message of a delivery that existed already may never have been sent.
  const unsent = created.filter(({ state, attempts }) => state === 'pending' && attempts === 0);
  await deliveries.send(unsent.map((delivery) => deliveryMessage(org, delivery)));
}

/**
 * Computes the deliveries of events: one for each target of each action that matches. A repeated call returns the same
 * deliveries, apart from the times of their creation and of their first attempt.
 */
export async function deliveriesOf(
  table: DeliveryServices['table'],
  org: OrganizationId,
  moments: readonly MomentFacts[],
  now: Micros,
): Promise<Delivery[]> {
  if (moments.length === 0) return [];
  const actions = await readActions(table, org);
  if (actions.length === 0) return [];
  const names = await readEventNames(
    table,
    org,
    moments.map(({ flow }) => flow),
  );
  return moments.flatMap((moment) => {
    const notice = momentNotice(moment, names.flow(moment.flow), names.org);
    if (!notice) return [];
    return actions
      .flatMap((action) => inForce(action, moment.at))
      .filter((action) => matches(action, notice, { flows: [moment.flow] }, moment.at))
      .flatMap((action) => deliveriesTo(action, notice, now, moment.request));
  });
}

/** The version of an action that decides about events of an instant; empty if the action was created later. */
export function inForce({ versions }: ActionVersions, at: Micros): ActionRecord[] {
  const version = versionInForce(versions, at);
  return version ? [version] : [];
}

/** Makes the deliveries of an event to the targets of an action. @param request id of the request that caused the event */
export const deliveriesTo = (
  { number, targets }: ActionRecord,
  notice: Notice,
  now: Micros,
  request: string | undefined,
): Delivery[] => targets.map((target) => newDelivery(notice, number, target, now, request));

/** The events of one organization. */
export interface EventNews {
  org: OrganizationId;
  moments: MomentFacts[];
}

/**
 * Creates the deliveries that do not exist yet and sends their messages. Reads before it writes, because usually all
 * exist. For those that exist it sends nothing: the sweep of due deliveries finds the ones whose message was lost.
 * @param explain adds reasons to what is missing
 * @returns how many deliveries were missing
 */
export async function createMissing(
  services: DeliveryServices,
  org: OrganizationId,
  due: readonly Delivery[],
  explain: (missing: readonly Delivery[]) => Promise<readonly Delivery[]> = async (missing) => missing,
): Promise<number> {
  const { table, deliveries } = services;
  const stored = await readStored(table, org, due);
  const missing = due.filter(({ id }) => !stored.has(id));
  const created = await createDeliveries(table, org, await explain(missing));
  await deliveries.send(created.map((delivery) => deliveryMessage(org, delivery)));
  return missing.length;
}

/** Reads the items of those deliveries that exist, by id, 100 with one call. */
export async function readStored(
  table: DeliveryServices['table'],
  org: OrganizationId,
  due: readonly Delivery[],
): Promise<Map<string, Item>> {
  const keyOf = ({ action, id }: Delivery) => deliveryKey(org, action, monthOf(id), id);
  const found = await table.getMany(due.map(keyOf));
  return new Map(
    due.flatMap((delivery) => {
      const item = found.get(keyText(keyOf(delivery)));
      return item ? [[delivery.id, item] as const] : [];
    }),
  );
}
