import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { failOverdue, forgetPending, waitingEvaluations } from '#shared/evaluations/records/evaluation-writes.ts';
import { type EvaluationRecord, isOverdue } from '#shared/evaluations/records/evaluations.ts';
import type { RelayServices } from '#shared/notifications/services.ts';

/** Evaluations that one sweep looks at: more than that wait a minute longer. */
const PAGE = 100;
const WIDTH = 8;
/** A decision that could not be recorded for so long is not tried again; the evaluation stays without it. */
const TRIED_FOR: Micros = 24 * 3600 * 1_000_000;

/**
 * Looks after evaluations that were asked for more than a minute ago and still wait: sends their messages again, since
 * messages are lost, and writes down the failure of those past their deadline (semantics §8.1).
 * @returns how many messages were sent, and how many evaluations had failed
 */
export async function sweepEvaluations({
  table,
  clock,
  evaluations,
}: Pick<RelayServices, 'table' | 'clock' | 'evaluations'>): Promise<{ sent: number; failed: number }> {
  const now = clock.now();
  const again: { org: OrganizationId; id: string }[] = [];
  let failed = 0;
  await inParallel(await waitingEvaluations(table, now, PAGE), WIDTH, async ({ org, id, record }) => {
    if (!record) throw new Error(`Evaluation ${id} of ${org} waits but is not there`);
    if (hasNothingLeft(record, now)) await forgetPending(table, org, record);
    else if (!isOverdue(record, now)) again.push({ org, id });
    else if ((await failOverdue(table, org, record, now)) === 'done') failed += 1;
  });
  await evaluations.send(again.map(({ org, id }) => ({ body: { org, id }, group: org })));
  return { sent: again.length, failed };
}

const hasNothingLeft = ({ status, decisionId, deadline }: EvaluationRecord, now: Micros): boolean =>
  status === 'failed' || (status === 'completed' && (decisionId !== null || now >= deadline + TRIED_FOR));
