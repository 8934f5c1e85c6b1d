import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { batchWrite } from '#shared/log/records/log-batches.ts';
import { headWrite, type LogHead, newHead, storeTiled } from '#shared/log/records/log-state.ts';
import { logOrigin } from '#test/support/log/log.ts';

/** Stores the head of a log and the batch at its end. */
export async function putLog(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  head: Pick<LogHead, 'range' | 'tiled'>,
  { first, entries }: { first: number; entries: Buffer[] },
): Promise<void> {
  const none = newHead(logOrigin(org));
  const refused = () => 'refused' as const;
  await table.transact([
    headWrite(org, none, { ...none, ...head, at: clock.now() }, refused),
    batchWrite(org, first, entries),
  ]);
  await storeTiled(table, org, head.tiled);
}
