import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { keyText } from '#shared/table/table.ts';
import { deliveryMessage } from './messages.ts';
import { type ActionVersions, readActions } from './records/actions.ts';
import { createDeliveries, newDelivery } from './records/deliveries.ts';
import { readEventNames } from './records/event-names.ts';
import { deliveryKey } from './records/keys.ts';
import type { ActionRecord, Delivery, Notice } from './rules/records.ts';
import { type MomentFacts, matches, noticeOf, versionInForce } from './rules/triggers.ts';
import type { DeliveryServices } from './services.ts';

/**
 * Tells the targets of an organization's actions of its events: a delivery record and a message for each (design §6).
 * One Query says whether anybody waits; doing it again makes nothing twice.
 */
export async function tell(services: DeliveryServices, { org, moments }: EventNews): Promise<void> {
  await deliver(services, org, await deliveriesOf(services.table, org, moments, services.clock.now()));
}

/** Creates the deliveries that are not there yet and sends what may never have been sent. */
export async function deliver(
  { table, deliveries }: DeliveryServices,
  org: OrganizationId,
  due: readonly Delivery[],
): Promise<void> {
  const created = await createDeliveries(table, org, due);
  // A record that was there already says nothing of its message, which may never have been sent.
  const unsent = created.filter(({ state, attempts }) => state === 'pending' && attempts === 0);
  await deliveries.send(unsent.map((delivery) => deliveryMessage(org, delivery)));
}

/** The deliveries that events are owed to targets: the same whoever computes them, but for the time of making. */
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
    const notice = noticeOf(moment, names.flow(moment.flow), names.org);
    if (!notice) return [];
    return actions
      .flatMap((action) => inForce(action, moment.at))
      .filter((action) => action.kind === 'flow' && matches(action, notice, moment.flow, moment.at))
      .flatMap((action) => deliveriesTo(action, notice, now));
  });
}

/** The version of an action that decides about events of an instant; none where it came later. */
export function inForce({ versions }: ActionVersions, at: Micros): ActionRecord[] {
  const version = versionInForce(versions, at);
  return version ? [version] : [];
}

/** The deliveries of an event to the targets of an action. */
export const deliveriesTo = ({ number, targets }: ActionRecord, notice: Notice, now: Micros): Delivery[] =>
  targets.map((target) => newDelivery(notice, number, target, now));

/** Sends what endpoints asked for by writing it, since nothing is sent from a request (design §2.7). */
export const sendAsked = ({ deliveries }: DeliveryServices, asked: readonly AskedDelivery[]): Promise<void> =>
  deliveries.send(asked.map(({ org, delivery }) => deliveryMessage(org, delivery)));

/** The events of one organization in a batch. */
export interface EventNews {
  org: OrganizationId;
  moments: MomentFacts[];
  record: number;
}

/** A delivery that an endpoint asks to be sent. */
export interface AskedDelivery {
  org: OrganizationId;
  delivery: Delivery;
  record: number;
}

/** Looks before it writes: mostly the stream brought everything. What is there is found by its due time if need be. */
export async function createMissing(
  services: DeliveryServices,
  org: OrganizationId,
  due: readonly Delivery[],
): Promise<number> {
  const { table, deliveries } = services;
  const keyOf = ({ action, id }: Delivery) => deliveryKey(org, action, monthOf(id), id);
  const found = await table.getMany(due.map(keyOf));
  const missing = due.filter((delivery) => !found.has(keyText(keyOf(delivery))));
  const created = await createDeliveries(table, org, missing);
  await deliveries.send(created.map((delivery) => deliveryMessage(org, delivery)));
  return missing.length;
}
