import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import { absent, change, equal } from '#shared/table/expressions.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { notificationCountersKey } from './keys.ts';

/**
 * A notification lists environments, and archiving an environment removes it from those lists. Both operations can run
 * at the same time. So each organization has two counters: saves of notifications, and archived environments. A save
 * succeeds only if `archived` has not changed since the save read it, and the other way round. Two saves do not refuse
 * each other here, and neither do two archivings (`rules/notifications.md#saving-and-archiving`).
 */
const Counters = z.object({ saved: z.number().default(0), archived: z.number().default(0) });
export type NotificationCounters = z.output<typeof Counters>;

/** Reads both counters. The caller reads them before all other data that its operation depends on. */
export const readNotificationCounters = async (table: Table, org: OrganizationId): Promise<NotificationCounters> =>
  Counters.parse((await table.get(notificationCountersKey(org))) ?? {});

/**
 * The write that a save of a notification adds to its transaction: it counts the save.
 * @param seen the counters as the save read them; the write is refused with `again` if an environment was archived
 *   since
 */
export const saveGuard = (org: OrganizationId, seen: NotificationCounters): Write<'again'> =>
  guard(org, 'saved', 'archived', seen);

/**
 * The write that archiving an environment adds to its transaction: it counts the archiving.
 * @param seen the counters as the archiving read them; the write is refused with `again` if a notification was saved
 *   since
 */
export const archiveGuard = (org: OrganizationId, seen: NotificationCounters): Write<'again'> =>
  guard(org, 'archived', 'saved', seen);

const guard = (
  org: OrganizationId,
  counted: keyof NotificationCounters,
  other: keyof NotificationCounters,
  seen: NotificationCounters,
): Write<'again'> => ({
  update: notificationCountersKey(org),
  ...change(
    { set: { v: 1 }, add: { [counted]: 1 } },
    seen[other] === 0 ? absent(other) : equal({ [other]: seen[other] }),
  ),
  refused: again,
});
