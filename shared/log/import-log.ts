import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Checkpoint } from '#shared/tlog/checkpoint.ts';
import { rootOf } from '#shared/tlog/tree.ts';
import { newHead, readHead } from './records/log-state.ts';
import { LogNotRecovered, replayEntries } from './recover.ts';
import { readWaiting } from './waiting-entries.ts';

/**
 * Appends the entries of a checkpoint to the empty log of an organization, at the same indexes and with the same origin
 * (rules/exports.md#import). Signs nothing: the integrator of the region publishes the log. Can be interrupted and repeated.
 *
 * @param bundles the entries of each bundle, from the first one on
 * @throws LogNotRecovered if the entries do not have the root of the checkpoint, or if the table has other ones
 */
export async function importLog(
  stores: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  { origin, size, root }: Checkpoint,
  bundles: AsyncIterable<readonly Buffer[]>,
): Promise<void> {
  let head = (await readHead(stores.table, org)) ?? newHead(origin);
  let first = 0;
  for await (const bundle of bundles) {
    const known = Math.max(0, head.range.size - first);
    const waiting = bundle.slice(known).map((bytes) => readWaiting(org, bytes));
    head = await replayEntries(stores, org, head, waiting);
    first += bundle.length;
  }
  if (head.range.size !== size || !rootOf(head.range).equals(root)) {
    throw new LogNotRecovered(
      `The table has ${head.range.size} entries that are not those of the checkpoint of ${size}`,
    );
  }
}
