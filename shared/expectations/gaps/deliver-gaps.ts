import { type Id, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { minus } from '#shared/base/time.ts';
import { deliver, deliveriesTo, inForce } from '#shared/notifications/deliver.ts';
import { readActions } from '#shared/notifications/records/actions.ts';
import { readEventNames } from '#shared/notifications/records/event-names.ts';
import type { Delivery } from '#shared/notifications/rules/records.ts';
import { matches } from '#shared/notifications/rules/triggers.ts';
import type { DeliveryServices } from '#shared/notifications/services.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import type { StreamItem } from '#shared/table/stream-item.ts';
import { readGaps } from '../records/gaps.ts';
import { gapList } from '../records/keys.ts';
import { Gap } from '../rules/gaps/gap.ts';
import { gapEvents, gapNotice } from '../rules/gaps/gap-notices.ts';
import { readEventSubjects } from './event-subjects.ts';
import { withPresentNames } from './present-names.ts';

/** Telling actions about gaps (rules/notifications.md#gap-events). */

/** A gap as one of its changes left it. */
export interface ChangedGap {
  org: OrganizationId;
  gap: Gap;
}

/** Reads a gap that has fired something from the stream; null for other items. @throws ZodError if it cannot be read */
export function readChangedGap(streamed: StreamItem): ChangedGap | null {
  const [id = ''] = streamed.pk.split('#');
  const org = storedId<OrganizationId>(id);
  if (streamed.pk !== gapList(org)) return null;
  const gap = Gap.parse(streamed.item);
  return gapEvents(gap).length === 0 ? null : { org, gap };
}

/** Creates and queues the deliveries for what gaps have fired. Repeated calls create nothing twice. */
export const deliverGaps = async (
  services: DeliveryServices,
  org: OrganizationId,
  gaps: readonly Gap[],
): Promise<void> => deliver(services, org, await gapDeliveries(services, org, gaps));

/**
 * Computes the deliveries of gaps that did not change lately, for the sweep. A later change of a gap has an entry of its own in
 * the audit log, which the sweep reads when it has settled.
 */
export async function settledGapDeliveries(
  services: DeliveryServices,
  org: OrganizationId,
  ids: readonly Id[],
): Promise<Delivery[]> {
  if (ids.length === 0) return [];
  const horizon = minus(services.clock.now(), SETTLING_MICROS);
  // Lists show a gap that cannot be read as unreadable.
  const gaps = (await readGaps(services.table, org, ids)).flatMap((item) => Gap.safeParse(item).data ?? []);
  return gapDeliveries(
    services,
    org,
    gaps.filter(({ changedAt }) => changedAt < horizon),
  );
}

/**
 * Computes the deliveries for what gaps have fired: one for each target of each notification that matches. Repeated calls give
 * the same deliveries with the same ids. Names are read only if a notification matches.
 *
 * @param gaps in the order of their changes; the last state of a gap says all that it fired
 */
async function gapDeliveries(
  { table, clock }: DeliveryServices,
  org: OrganizationId,
  gaps: readonly Gap[],
): Promise<Delivery[]> {
  const latest = [...new Map(gaps.map((gap) => [gap.id, gap])).values()];
  if (latest.length === 0) return [];
  const actions = await readActions(table, org);
  if (actions.length === 0) return [];
  const subjects = await readEventSubjects(table, org, latest);
  const wanted = latest.flatMap((gap, i) =>
    gapEvents(gap).flatMap((event) =>
      actions
        .flatMap((action) => inForce(action, event.at))
        .filter((action) => matches(action, event, subjects[i] ?? { flows: [] }, event.at))
        .map((action) => ({ gap: gap.id, trigger: event.trigger, action })),
    ),
  );
  if (wanted.length === 0) return [];
  const [names, present] = await Promise.all([
    readEventNames(table, org, []),
    withPresentNames(
      table,
      org,
      latest.filter(({ id }) => wanted.some(({ gap }) => gap === id)),
    ),
  ]);
  const now = clock.now();
  return present.flatMap((gap) =>
    gapEvents(gap).flatMap((event) => {
      const notice = gapNotice(gap, event, names.org);
      return wanted
        .filter((one) => one.gap === gap.id && one.trigger === event.trigger)
        .flatMap(({ action }) => deliveriesTo(action, notice, now, undefined));
    }),
  );
}
