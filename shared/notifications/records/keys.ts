import { type Id, type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { directory, family, instantSequence, keyIn, sequence } from '#shared/table/keys.ts';

// Actions and deliveries

/** Partition of actions and environment notifications, with one item for each save. */
export const actionPartition = (org: OrganizationId): PartitionKey => family(org, 'ACTION');
/** Partition of the counters, and of the newest version of each action that is not deleted: `C#`. */
export const currentActionsPartition = (org: OrganizationId): PartitionKey => family(org, 'ACTIONS');
export const currentActionKey = (org: OrganizationId, number: number): Key =>
  keyIn(currentActionsPartition(org), `C#${sequence(number)}`);
export const actionCounterKey = (org: OrganizationId): Key => keyIn(family(org, 'ACTIONS'), 'COUNTER');
/** Counters that keep saves of notifications and archivings of environments apart: `notification-counters.ts`. */
export const notificationCountersKey = (org: OrganizationId): Key => keyIn(family(org, 'ACTIONS'), 'TURN');
export const actionKey = (org: OrganizationId, number: number, version: number): Key =>
  keyIn(actionPartition(org), `${sequence(number)}#${sequence(version)}`);
export const actionNameKey = (org: OrganizationId, kind: string, name: string): Key =>
  keyIn(family(org, 'ACTIONNAME', kind, name), 'NAME');
export const actionSecretKey = (org: OrganizationId, number: number): Key =>
  keyIn(family(org, 'ACTIONSECRET', String(number)), 'SECRET');
/** Partition of the health of all targets. A list of actions reads it with one Query. */
export const targetHealthPartition = (org: OrganizationId): PartitionKey => family(org, 'HEALTH');
export const targetHealthKey = (org: OrganizationId, action: number, target: string): Key =>
  keyIn(targetHealthPartition(org), `${sequence(action)}#${target}`);
/** Partition of an action's deliveries of one month. The attempts of a delivery sort directly after it. */
export const deliveryPartition = (org: OrganizationId, action: number, month: string): PartitionKey =>
  family(org, 'DELIVERY', String(action), month);
/** Reads the organization and the action from a {@link deliveryPartition}; null for every other partition key. */
export const readDeliveryPartition = (pk: PartitionKey): { org: OrganizationId; action: number } | null => {
  const [org = '', name, action = ''] = pk.split('#');
  return name === 'DELIVERY' ? { org: storedId(org), action: Number(action) } : null;
};
export const deliveryKey = (org: OrganizationId, action: number, month: string, id: Id): Key =>
  keyIn(deliveryPartition(org, action, month), id);
export const attemptKey = (org: OrganizationId, action: number, month: string, id: Id, attempt: number): Key =>
  keyIn(deliveryPartition(org, action, month), `${id}#${String(attempt).padStart(3, '0')}`);
/** Partition of the entries of all deliveries of an organization, by the month of their events. */
export const deliveryListPartition = (org: OrganizationId, month: string): PartitionKey =>
  family(org, 'DELIVERIES', month);
export const deliveryEntryKey = (org: OrganizationId, month: string, id: Id): Key =>
  keyIn(deliveryListPartition(org, month), id);
/** Pending deliveries of all organizations, by due time, in this many partitions. The sweep reads them. */
export const DUE_SHARDS = 4;
export const duePartition = (shard: number): PartitionKey => directory('@DUE', String(shard));
export const dueKey = (due: Micros, org: OrganizationId, action: number, delivery: Id): Key =>
  keyIn(
    duePartition(Number.parseInt(delivery.slice(-1), 16) % DUE_SHARDS),
    [instantSequence(due), org, action, delivery].join('#'),
  );
/** Organizations that have or had an action. The sweeps check the events of these only. */
export const notifiedOrganizations = directory('@NOTIFIED');
export const notifiedOrganizationKey = (org: OrganizationId): Key => keyIn(notifiedOrganizations, org);
