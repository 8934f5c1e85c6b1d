import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { deletionWrites, nextVersionWrites } from '#shared/notifications/records/action-writes.ts';
import { listActions } from '#shared/notifications/records/actions.ts';
import { archiveGuard, readNotificationCounters } from '#shared/notifications/records/notification-counters.ts';
import { archivedEnvironmentWrite } from '#shared/notifications/records/relay-progress.ts';
import { policyEnvironmentKey } from '#shared/policies/records/keys.ts';
import { catalogueRemoval } from '#shared/series/catalogue.ts';
import { keyText, type Table, type Write } from '#shared/table/table.ts';
import { headUpdate } from './environment-head.ts';
import type { EnvironmentHead } from './environment-records.ts';
import { releaseName } from './environment-writes.ts';
import { readEnvironmentHeads, readGroups } from './environments.ts';
import { readExpanded } from './expanded.ts';
import { environmentGroupKey } from './keys.ts';

/** The most writes of one transaction for what refers to the environment. The rest is for the environment itself. */
const MOST_AT_ONCE = 90;

/**
 * Archives an environment (rules/environments.md#archive): takes it out of the lists, out of logical environments, off
 * its policies and out of notifications. A notification without environments is deleted. The names become free. The
 * snapshots and the head's attachments stay. The relay still applies the effects of snapshots that are not expanded yet.
 *
 * One transaction does everything. If more refers to the environment than fits into one transaction, the call removes
 * only a part of the references and returns `again`.
 * @param head as it was read
 * @param claim the request's idempotency claim. It stands first in the transaction, so its refusal decides the outcome
 * @returns `again` if another writer was first, or if references are left: to be called again with a new head
 */
export async function archiveEnvironment<C>(
  table: Table,
  org: OrganizationId,
  head: EnvironmentHead,
  at: Micros,
  claim: Write<C>[],
): Promise<'done' | 'again' | C> {
  const turns = await readNotificationCounters(table, org);
  const [leaving, expanded] = await Promise.all([
    leavingWrites(table, org, head, at),
    readExpanded(table, org, head.id),
  ]);
  const writes = leaving.flat();
  if (writes.length > MOST_AT_ONCE) {
    await table.transact<'again'>(firstOf(leaving));
    return 'again';
  }
  return table.transact<'again' | C>([
    ...claim,
    archiveGuard(org, turns),
    headUpdate(org, head, { settings: { archived: at } }, again),
    releaseName(org, head.name, head.id),
    catalogueRemoval(org, 'environment', head.id),
    ...(expanded.index < head.index ? [archivedEnvironmentWrite(org, head.id)] : []),
    ...writes,
  ]);
}

/** The writes that remove the references to an environment, one group per reference. A group is never split. */
async function leavingWrites(
  table: Table,
  org: OrganizationId,
  head: EnvironmentHead,
  at: Micros,
): Promise<Write<'again'>[][]> {
  const links = [
    ...head.members.map((member) => environmentGroupKey(org, member, head.id)),
    ...head.policies.map((policy) => policyEnvironmentKey(org, policy, head.id)),
  ];
  const [groups, notifications, present] = await Promise.all([
    groupsOf(table, org, head.id),
    notificationsOf(table, org, head.id),
    table.getMany(links),
  ]);
  return [
    ...groups.map((group): Write<'again'>[] => [
      headUpdate(org, group, { settings: { members: group.members.filter((id) => id !== head.id) } }, again),
      { remove: environmentGroupKey(org, head.id, group.id) },
    ]),
    ...links.filter((key) => present.has(keyText(key))).map((key): Write<'again'>[] => [{ remove: key }]),
    ...notifications.map((notification): Write<'again'>[] => {
      const environments = notification.environments.filter((id) => id !== head.id);
      return environments.length === 0
        ? deletionWrites(org, notification, at)
        : nextVersionWrites(org, notification, at, { environments });
    }),
  ];
}

/** Reads the heads of the logical environments that have this one as a member. */
async function groupsOf(table: Table, org: OrganizationId, id: EnvironmentId): Promise<EnvironmentHead[]> {
  const heads = await readEnvironmentHeads(table, org, await readGroups(table, org, id));
  return [...heads.values()];
}

/** Reads the notifications that name this environment. Unreadable ones are left as they are and are shown in lists. */
const notificationsOf = async (table: Table, org: OrganizationId, id: EnvironmentId) =>
  (await listActions(table, org)).flatMap((action) =>
    'unreadable' in action || action.kind !== 'env' || !action.environments.includes(id) ? [] : [action],
  );

/** The first groups of writes that fit into one transaction. */
function firstOf<R>(groups: readonly Write<R>[][]): Write<R>[] {
  const writes: Write<R>[] = [];
  for (const group of groups) {
    if (writes.length + group.length > MOST_AT_ONCE) break;
    writes.push(...group);
  }
  return writes;
}
