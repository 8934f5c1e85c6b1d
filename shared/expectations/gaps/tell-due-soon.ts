import type { OrganizationId } from '#shared/base/ids.ts';
import { createMissing, deliveriesTo, inForce } from '#shared/notifications/deliver.ts';
import { readActions } from '#shared/notifications/records/actions.ts';
import { readEventNames } from '#shared/notifications/records/event-names.ts';
import { matches } from '#shared/notifications/rules/triggers.ts';
import type { DeliveryServices } from '#shared/notifications/services.ts';
import { type DueSoon, dueSoonNotice } from '../rules/gaps/due-soon.ts';
import { placeOfSubject } from '../rules/gaps/gap-notices.ts';

/**
 * Creates and queues the deliveries for subjects that are due soon (rules/notifications.md#due-soon). Ids follow from
 * expectation, subject and due time, so repeated calls create nothing twice. Reads the actions with one Query, and the
 * deliveries only if an action matches.
 */
export async function tellDueSoon(
  services: DeliveryServices,
  org: OrganizationId,
  subjects: readonly DueSoon[],
): Promise<void> {
  if (subjects.length === 0) return;
  const { table, clock } = services;
  const actions = await readActions(table, org);
  const trigger = 'ON_EXPECTATION_DUE_SOON' as const;
  const wanted = subjects.flatMap((one) => {
    const { at } = one.soon;
    const place = placeOfSubject(one.subject, one.expectation.scope);
    return actions
      .flatMap((action) => inForce(action, at))
      .filter((action) => matches(action, { trigger }, place, at))
      .map((action) => ({ one, action }));
  });
  if (wanted.length === 0) return;
  const names = await readEventNames(table, org, []);
  const now = clock.now();
  const due = wanted.flatMap(({ one, action }) => deliveriesTo(action, dueSoonNotice(one, names.org), now, undefined));
  await createMissing(services, org, due);
}
