import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { deletionWrites, nextVersionWrite } from '#shared/notifications/records/action-writes.ts';
import { listActions } from '#shared/notifications/records/actions.ts';
import { readTurns, turnToArchive } from '#shared/notifications/records/notification-turns.ts';
import { archivedBehind } from '#shared/notifications/records/relayed.ts';
import { policyEnvironmentKey } from '#shared/policies/records/keys.ts';
import { catalogueRemoval } from '#shared/series/catalogue.ts';
import { keyText, type Table, type Write } from '#shared/table/table.ts';
import { headUpdate } from './environment-head.ts';
import type { EnvironmentHead } from './environment-records.ts';
import { releaseName } from './environment-writes.ts';
import { readEnvironmentHeads, readGroups } from './environments.ts';
import { readExpanded } from './expanded.ts';
import { environmentGroupKey } from './keys.ts';

/** Writes of one transaction that go to what an environment is part of; the rest is for the environment itself. */
const MOST_AT_ONCE = 90;

/**
 * Takes an environment out of the lists and out of all that it is part of: logical environments lose it as a member,
 * policies are no longer attached to it, notifications are for those environments that are left, and end where none is
 * (semantics §14; wire environments §13 row 12). Its names become free, its snapshots stay; its head keeps what was
 * attached to it. What the relay has not made of its snapshots yet comes all the same (design §2.7).
 *
 * All in one transaction, unless the environment is part of more than fits into one: then it leaves a part of that at a
 * time first, and `again` asks for the next.
 * @param head as it was read
 * @param claim the request's idempotency claim; refused first, so that its outcome is the one that counts
 * @returns `again` where another writer was first
 */
export async function archiveEnvironment<C>(
  table: Table,
  org: OrganizationId,
  head: EnvironmentHead,
  at: Micros,
  claim: Write<C>[],
): Promise<'done' | 'again' | C> {
  const turns = await readTurns(table, org);
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
    turnToArchive(org, turns),
    headUpdate(org, head, { settings: { archived: at } }, again),
    releaseName(org, head.name, head.id),
    catalogueRemoval(org, 'environment', head.id),
    ...(expanded.index < head.index ? [archivedBehind(org, head.id)] : []),
    ...writes,
  ]);
}

/** The writes that take an environment out of each thing that it is part of: those of one thing belong together. */
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
        : [nextVersionWrite(org, notification, at, { environments })];
    }),
  ];
}

/** The logical environments that have this one as a member. */
async function groupsOf(table: Table, org: OrganizationId, id: EnvironmentId): Promise<EnvironmentHead[]> {
  const heads = await readEnvironmentHeads(table, org, await readGroups(table, org, id));
  return [...heads.values()];
}

/** The notifications that are for this environment. One that cannot be read is left as it is: lists tell of it. */
const notificationsOf = async (table: Table, org: OrganizationId, id: EnvironmentId) =>
  (await listActions(table, org)).flatMap((action) =>
    'unreadable' in action || action.kind !== 'env' || !action.environments.includes(id) ? [] : [action],
  );

/** As many of the groups of writes, in order, as fit into one transaction. */
function firstOf<R>(groups: readonly Write<R>[][]): Write<R>[] {
  const writes: Write<R>[] = [];
  for (const group of groups) {
    if (writes.length + group.length > MOST_AT_ONCE) break;
    writes.push(...group);
  }
  return writes;
}
