import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { type Key, keyText, type Table } from '#shared/table/table.ts';
import { type ActionVersions, readActions } from './records/actions.ts';
import { type ListedDelivery, withLastAttempts } from './records/delivery-list.ts';
import type { UnreadableDelivery } from './records/delivery-pages.ts';
import { deliveryKey } from './records/keys.ts';
import { readHealths } from './records/target-health.ts';
import {
  type ActionRecord,
  Delivery,
  deliveryId,
  type Notice,
  type Target,
  type TargetHealth,
} from './rules/records.ts';
import { type EventSubject, type Mismatch, mismatch, versionInForce } from './rules/triggers.ts';

/** An event as actions are matched with it. */
export interface ExplainedEvent {
  /** Null for an event that fires nothing. */
  notice: Notice | null;
  subject: EventSubject;
  at: Micros;
}

/** Whether an action was notified of an event, and what became of it for each target. */
export interface Explanation {
  /** The version in force when the event happened; the first version if the action was created later. */
  action: ActionRecord;
  /** The first condition that was not met; null if the action was notified. */
  mismatch: Mismatch | null;
  /** The targets of the version in force; empty unless the action was notified. */
  targets: ExplainedTarget[];
}

interface ExplainedTarget {
  target: Target;
  health: TargetHealth | undefined;
  /** Null if the delivery does not exist (yet). */
  delivery: ListedDelivery | UnreadableDelivery | null;
}

/**
 * Explains for each action whether an event notified it (`rules/notifications.md#who-was-told`). Ids of deliveries follow
 * from event, action and target, so their records are read by key. Actions that were deleted before the event are left
 * out. Takes three calls after one another.
 */
export async function explainEvent(table: Table, org: OrganizationId, event: ExplainedEvent): Promise<Explanation[]> {
  const judged = (await readActions(table, org)).flatMap((versions) => judge(versions, event));
  const notified = judged.filter((one) => one.mismatch === null).map(({ action }) => action);
  const [healths, deliveries] = await Promise.all([
    readHealths(table, org, notified),
    event.notice ? readDeliveriesOf(table, org, event.notice, notified) : new Map<string, never>(),
  ]);
  return judged.map(({ action, mismatch: reason }) => ({
    action,
    mismatch: reason,
    targets:
      reason === null
        ? action.targets.map((target) => ({
            target,
            health: healths.get(action.number)?.get(target.key),
            delivery: deliveries.get(placeOf(action.number, target)) ?? null,
          }))
        : [],
  }));
}

function judge(
  { action: newest, versions }: ActionVersions,
  { notice, subject, at }: ExplainedEvent,
): Pick<Explanation, 'action' | 'mismatch'>[] {
  const [first] = versions;
  const action = versionInForce(versions, at) ?? first;
  if (!action) return [];
  const reason = mismatch(action, notice?.trigger ?? null, subject, at);
  if (reason === 'deleted') return [];
  // An action that came after the event and is gone has nothing to do with it.
  return reason === 'later' && newest.deleted ? [] : [{ action, mismatch: reason }];
}

const placeOf = (action: number, { key }: Target): string => `${action}#${key}`;

async function readDeliveriesOf(
  table: Table,
  org: OrganizationId,
  { event, at }: Notice,
  actions: readonly ActionRecord[],
): Promise<Map<string, ListedDelivery | UnreadableDelivery>> {
  const wanted = actions.flatMap(({ number, targets }) =>
    targets.map((target) => {
      const id = deliveryId(event, at, number, target.key);
      const key: Key = deliveryKey(org, number, monthOf(id), id);
      return { place: placeOf(number, target), key };
    }),
  );
  const stored = await table.getMany(wanted.map(({ key }) => key));
  const found = wanted.flatMap(({ place, key }) => {
    const item = stored.get(keyText(key));
    if (!item) return [];
    const { data, error } = Delivery.safeParse(item);
    return [{ place, delivery: data ?? { id: key.sk, unreadable: error } }];
  });
  const listed = await withLastAttempts(
    table,
    org,
    found.map(({ delivery }) => delivery),
  );
  return new Map(found.flatMap(({ place }, i) => (listed[i] ? [[place, listed[i]] as const] : [])));
}
