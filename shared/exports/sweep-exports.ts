import type { Duration } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Queue } from '#shared/queues/queue.ts';
import { exportMessage } from './export-message.ts';
import { listRunningExports } from './records/export-writes.ts';
import { isPinned, waitsUntil } from './rules/life-of-an-export.ts';

/** Exports of one sweep. The next sweep, a minute later, handles the rest. */
const PAGE = 100;
/** For this time after the end of its waiting, the sweep leaves an export without a checkpoint to its message. */
const GRACE: Duration = 60_000_000;

/**
 * Sends the messages of running exports again that no worker has reserved, because a message can be lost and a worker can
 * end before its time (`rules/exports.md#steps`).
 * @returns how many messages were sent, and how long ago the oldest export that runs was started; 0 if none runs
 * @throws Error if a listed export does not exist
 */
export async function sweepExports({
  table,
  clock,
  exports,
}: Pick<Stores, 'table' | 'clock'> & { exports: Queue }): Promise<{ sent: number; oldest: Duration }> {
  const now = clock.now();
  const running = await listRunningExports(table, now, PAGE);
  const waiting = running.filter(({ org, id, record }) => {
    if (!record) throw new Error(`Export ${id} of organization ${org} is listed as running but does not exist`);
    // The message of an export that waits for its checkpoint is on the way: the exporter delays it again and again.
    return isPinned(record) ? record.leased < now : waitsUntil(record) + GRACE < now;
  });
  await exports.send(waiting.map(({ org, id, kind }) => exportMessage(org, id, kind)));
  const oldest = Math.max(0, ...running.map(({ record }) => (record ? now - record.started : 0)));
  return { sent: waiting.length, oldest };
}
