import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Duration } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Queue } from '#shared/queues/queue.ts';
import { evaluationMessage } from './evaluation-message.ts';
import { failOverdue, removePending, waitingEvaluations } from './records/evaluation-writes.ts';
import { isOverdue } from './records/evaluations.ts';

/** Evaluations of one sweep. The next sweep, a minute later, handles the rest. */
const PAGE = 100;
const WIDTH = 8;

/**
 * Handles evaluations that are pending for more than a minute: sends their messages again, because a message can be
 * lost, and stores the failure of those that are past their deadline (`rules/evaluations.md#messages`).
 * @returns how many messages were sent, how many evaluations were stored as failed, and how long ago the oldest one that waits was requested;
 *   0 if none waits
 * @throws Error if a listed evaluation does not exist
 */
export async function sweepEvaluations({
  table,
  clock,
  evaluations,
}: Pick<Stores, 'table' | 'clock'> & { evaluations: Queue }): Promise<{
  sent: number;
  failed: number;
  oldest: Duration;
}> {
  const now = clock.now();
  const again: { org: OrganizationId; id: string }[] = [];
  let failed = 0;
  const waiting = await waitingEvaluations(table, now, PAGE);
  await inParallel(waiting, WIDTH, async ({ org, id, record }) => {
    if (!record) throw new Error(`Evaluation ${id} of organization ${org} is listed as pending but does not exist`);
    if (record.status !== 'pending') await removePending(table, org, record);
    else if (!isOverdue(record, now)) again.push({ org, id });
    else if ((await failOverdue(table, org, record, now)) === 'done') failed += 1;
  });
  await evaluations.send(again.map(({ org, id }) => evaluationMessage(org, id)));
  const oldest = Math.max(0, ...waiting.map(({ record }) => (record ? now - record.requested : 0)));
  return { sent: again.length, failed, oldest };
}
