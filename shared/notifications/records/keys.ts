import { type Id, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { family, sequence } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

// Actions and deliveries

/** Actions and environment notifications: every save of each, the counter of numbers, and the counts of those who take turns. */
export const actionPartition = (org: OrganizationId): string => family(org, 'ACTION');
export const actionCounterKey = (org: OrganizationId): Key => ({ pk: family(org, 'ACTIONS'), sk: 'COUNTER' });
export const notificationTurnKey = (org: OrganizationId): Key => ({ pk: family(org, 'ACTIONS'), sk: 'TURN' });
export const actionKey = (org: OrganizationId, number: number, version: number): Key => ({
  pk: actionPartition(org),
  sk: `${sequence(number)}#${sequence(version)}`,
});
export const actionNameKey = (org: OrganizationId, kind: string, name: string): Key => ({
  pk: family(org, 'ACTIONNAME', kind, name),
  sk: 'NAME',
});
export const actionSecretKey = (org: OrganizationId, number: number): Key => ({
  pk: family(org, 'ACTIONSECRET', String(number)),
  sk: 'SECRET',
});
export const targetHealthPartition = (org: OrganizationId, action: number): string =>
  family(org, 'HEALTH', String(action));
export const targetHealthKey = (org: OrganizationId, action: number, target: string): Key => ({
  pk: targetHealthPartition(org, action),
  sk: target,
});
/** Deliveries of an action, cut by month; the attempts of each lie behind it. */
export const deliveryPartition = (org: OrganizationId, action: number, month: string): string =>
  family(org, 'DELIVERY', String(action), month);
/** What {@link deliveryPartition} was made from; null for every other partition. */
export const readDeliveryPartition = (pk: string): { org: OrganizationId; action: number } | null => {
  const [org = '', name, action = ''] = pk.split('#');
  return name === 'DELIVERY' ? { org: storedId(org), action: Number(action) } : null;
};
export const deliveryKey = (org: OrganizationId, action: number, month: string, id: Id): Key => ({
  pk: deliveryPartition(org, action, month),
  sk: id,
});
export const attemptKey = (org: OrganizationId, action: number, month: string, id: Id, attempt: number): Key => ({
  pk: deliveryPartition(org, action, month),
  sk: `${id}#${String(attempt).padStart(3, '0')}`,
});
/** Pending deliveries by due time, over all organizations: what the sweeper reads. */
export const DUE_SHARDS = 4;
export const duePartition = (shard: number): string => `@DUE#${shard}`;
export const dueKey = (due: number, org: OrganizationId, action: number, delivery: Id): Key => ({
  pk: duePartition(Number.parseInt(delivery.slice(-1), 16) % DUE_SHARDS),
  sk: [due.toString().padStart(17, '0'), org, action, delivery].join('#'),
});
/** Organizations that ever had an action: those whose events somebody waits for. */
export const notifiedOrganizations = '@NOTIFIED';
export const notifiedOrganizationKey = (org: OrganizationId): Key => ({ pk: notifiedOrganizations, sk: org });

/** How far the settled entries of a series were relayed to targets. */
export const relayedKey = (org: OrganizationId, series: string): Key => ({ pk: family(org, 'RELAYED'), sk: series });
