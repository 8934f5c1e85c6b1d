import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Covering } from '#shared/bodies/covered-lines.ts';
import { archivedEnvironmentWrite } from '#shared/environments/records/sweep-positions.ts';
import { deletionOf, nextVersion } from '#shared/notifications/records/action-writes.ts';
import { listActions } from '#shared/notifications/records/actions.ts';
import { archiveGuard, readNotificationCounters } from '#shared/notifications/records/notification-counters.ts';
import { policyEnvironmentKey } from '#shared/policies/records/keys.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import { readTags } from '#shared/series/tag-items.ts';
import { onlyIf, unchanged } from '#shared/table/expressions.ts';
import { keyIn } from '#shared/table/keys.ts';
import { keyText, type Table, type Write } from '#shared/table/table.ts';
import { ENVIRONMENTS } from '../rules/series-kinds.ts';
import { settingsCover } from './environment-covers.ts';
import { headWrites } from './environment-head.ts';
import { type EnvironmentHead, namedEnvironments } from './environment-records.ts';
import { readEnvironmentHeads, readGroups } from './environments.ts';
import { readExpanded } from './expanded.ts';
import {
  environmentFactsKey,
  environmentGroupKey,
  environmentLinksKey,
  environmentPartition,
  environmentTagsKey,
} from './keys.ts';
import { removedEntryWrites } from './report-counts.ts';

/** The most writes of one transaction for what refers to the environment. The rest is for the environment itself. */
const MOST_AT_ONCE = 85;

/**
 * Archives an environment (rules/environments.md#archive): takes it out of the lists, out of logical environments, off
 * its policies and out of notifications. A notification without environments is deleted. The names become free. The
 * snapshots and the head's attachments stay. The relay still applies the effects of snapshots that are not expanded yet.
 *
 * One transaction does everything. If more refers to the environment than fits into one transaction, the call removes
 * only a part of the references and returns `again`.
 * @param head as it was read
 * @param others returns the request's idempotency claim, which stands first in the transaction, so its refusal decides the
 *   outcome, and the audit entry
 * @param audited returns the audit entry of a transaction that removes only a part of the references
 * @returns `again` if another writer was first, or if references are left: to be called again with a new head
 */
export async function archiveEnvironment(
  table: Table,
  org: OrganizationId,
  head: EnvironmentHead,
  at: Micros,
  { others, audited }: { others: Covering; audited: Covering },
): Promise<'done' | 'again'> {
  const counters = await readNotificationCounters(table, org);
  const [leaving, expanded, details, entry] = await Promise.all([
    leavingWrites(table, org, head, at),
    readExpanded(table, org, head.id),
    detailsWrites(table, org, head.id),
    table.get(catalogueKey(org, ENVIRONMENTS.name, head.id)),
  ]);
  const writes = leaving.flatMap((one) => one.writes);
  if (writes.length > MOST_AT_ONCE) {
    const first = firstOf(leaving);
    await table.transact<'again'>([
      ...audited(first.flatMap(({ covers }) => covers)),
      ...first.flatMap((one) => one.writes),
    ]);
    return 'again';
  }
  const archived = settingsCover(head, { ...head, archived: at });
  return table.transact<'again'>([
    ...others([archived, ...leaving.flatMap(({ covers }) => covers)]),
    archiveGuard(org, counters),
    ...headWrites(org, head, { settings: { archived: at } }, again),
    namedEnvironments.release(org, head.name, head.id),
    ...(entry ? removedEntryWrites(org, head.id, entry, at) : []),
    ...details,
    ...(expanded.index < head.index ? [archivedEnvironmentWrite(org, head.id)] : []),
    ...writes,
  ]);
}

/**
 * The writes that move description and tags from the details that lists read into the partition of the environment. The
 * links are a copy of the head's and are removed.
 */
async function detailsWrites(table: Table, org: OrganizationId, id: EnvironmentId): Promise<Write<'again'>[]> {
  const places = [
    { from: environmentFactsKey(org, id), to: 'FACTS' },
    { from: environmentTagsKey(org, id), to: 'TAGS' },
  ];
  const found = await table.getMany(places.map(({ from }) => from));
  const moves = places.flatMap(({ from, to }): Write<'again'>[] => {
    const item = found.get(keyText(from));
    if (!item) return [];
    // A Map, because the SDK rejects an object with a member called `constructor`.
    const tags = to === 'TAGS' ? { tags: new Map(Object.entries(readTags(item))) } : {};
    return [
      { remove: from, ...onlyIf(unchanged(item, 'rev')), refused: again },
      { put: { ...item, ...tags, ...keyIn(environmentPartition(org, id), to) } },
    ];
  });
  return [...moves, { remove: environmentLinksKey(org, id) }];
}

/** The writes that remove a reference, and what they leave behind. */
interface Leaving {
  writes: Write<'again'>[];
  covers: Cover[];
}

/** Removes the references to an environment, each as a whole. */
async function leavingWrites(table: Table, org: OrganizationId, head: EnvironmentHead, at: Micros): Promise<Leaving[]> {
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
    ...groups.map((group): Leaving => {
      const members = group.members.filter((id) => id !== head.id);
      return {
        covers: [settingsCover(group, { ...group, members })],
        writes: [
          ...headWrites(org, group, { settings: { members } }, again),
          { remove: environmentGroupKey(org, head.id, group.id) },
        ],
      };
    }),
    ...links
      .filter((key) => present.has(keyText(key)))
      .map((key): Leaving => ({ writes: [{ remove: key }], covers: [] })),
    ...notifications.map((notification): Leaving => {
      const environments = notification.environments.filter((id) => id !== head.id);
      return environments.length === 0
        ? deletionOf(org, notification, at)
        : nextVersion(org, notification, at, { environments });
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

/** The first references whose writes fit into one transaction. */
function firstOf(leaving: readonly Leaving[]): Leaving[] {
  let writes = 0;
  const end = leaving.findIndex((one) => {
    writes += one.writes.length;
    return writes > MOST_AT_ONCE;
  });
  return leaving.slice(0, end);
}
