import type { Id } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { readEventNames } from '#shared/environments/records/event-names.ts';
import { deliveryMessage } from '#shared/notifications/messages.ts';
import { type ActionVersions, readActions } from '#shared/notifications/records/actions.ts';
import { createDeliveries, newDelivery } from '#shared/notifications/records/deliveries.ts';
import type { ActionRecord, Delivery, Notice } from '#shared/notifications/rules/records.ts';
import { type MomentFacts, matches, noticeOf, versionInForce } from '#shared/notifications/rules/triggers.ts';
import type { DeliveryServices } from '#shared/notifications/services.ts';
import type { AskedDelivery, EventNews } from './read-batch.ts';

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
  org: Id,
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
  org: Id,
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
