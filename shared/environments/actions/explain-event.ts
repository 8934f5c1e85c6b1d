import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type Explanation, explainEvent as explain } from '#shared/notifications/explain-event.ts';
import { type EventPlace, type FoundEvent, findEvent, type NamedEvent } from './find-event.ts';

export type { EventPlace, Explanation, NamedEvent };

/**
 * Finds an event, and explains for each action whether the event notified it (rules/notifications.md#who-was-told).
 *
 * @throws ServiceError `not-found` if there is no such event; `invalid` if a snapshot fired several that fit
 */
export async function explainEvent(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  named: NamedEvent,
): Promise<{ event: FoundEvent; actions: Explanation[] }> {
  const event = await findEvent(stores, org, named);
  return { event, actions: await explain(stores.table, org.id, event) };
}
