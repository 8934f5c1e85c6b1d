import type { Id, OrganizationId } from '#shared/base/ids.ts';
import type { Services } from '#shared/http/services.ts';
import { evaluate } from './evaluate.ts';
import { recordDecision } from './record-decision.ts';
import { decisionIdWrites, endWrites, failOverdue, removePending } from './records/evaluation-writes.ts';
import {
  type DecisionOrder,
  decisionIdOf,
  type EvaluationRecord,
  isOverdue,
  readEvaluation,
  readResult,
} from './records/evaluations.ts';

/**
 * What one call did. `unknown`: there is no such evaluation. `over`: no work was left, or another worker was first.
 * `completed` and `failed`: this call ended the evaluation. `decided`: this call recorded the decision of an evaluation that
 * an earlier release completed without it.
 */
export type WorkOutcome = 'unknown' | 'over' | 'completed' | 'failed' | 'decided';

/**
 * Does the work that an evaluation has left: ends the evaluation, and records its decision in the same transaction. A
 * repeated call changes nothing twice (rules/evaluations.md#once).
 *
 * @throws Error for a fault of the service; the caller may retry
 */
export async function processEvaluation(services: Services, org: OrganizationId, id: Id): Promise<WorkOutcome> {
  const stored = await readEvaluation(services.table, org, id);
  if (!stored) return 'unknown';
  if (stored.status === 'pending') return end(services, org, stored);
  const { status, decision, decisionId } = stored;
  if (status === 'completed' && decision !== null && decisionId === null)
    return decide(services, org, stored, decision);
  await removePending(services.table, org, stored);
  return 'over';
}

/** Ends a pending evaluation with the outcome of its policy, or as failed if its deadline is over. */
async function end(services: Services, org: OrganizationId, stored: EvaluationRecord): Promise<WorkOutcome> {
  const { table, clock } = services;
  if (isOverdue(stored, clock.now())) return fail(services, org, stored);
  const { ending, result } = await evaluate(services, org, stored);
  await Promise.all(ending.bodies.map((body) => body.upload()));
  const { decision: order } = stored;
  const outcome =
    order && result
      ? await recordDecision(services, org, stored, { order, result, proof: ending.proof }, (id) =>
          endWrites(org, stored, ending, clock.now(), id),
        )
      : await table.transact(endWrites(org, stored, ending, clock.now()));
  if (outcome === 'done') return ending.status === 'completed' ? 'completed' : 'failed';
  // Another worker was first, or the policy finished after the deadline.
  return isOverdue(stored, clock.now()) ? fail(services, org, stored) : 'over';
}

async function fail({ table, clock }: Services, org: OrganizationId, stored: EvaluationRecord): Promise<WorkOutcome> {
  return (await failOverdue(table, org, stored, clock.now())) === 'done' ? 'failed' : 'over';
}

/**
 * Records the decision of an evaluation that is completed without it. An earlier release stored the verdict first.
 *
 * @throws Error if the result was erased
 */
async function decide(
  services: Services,
  org: OrganizationId,
  stored: EvaluationRecord,
  order: DecisionOrder,
): Promise<WorkOutcome> {
  const result = await readResult(services.objects, org, stored);
  if (!result) throw new Error(`Evaluation ${stored.id} is completed and its result is missing or erased`);
  const outcome = await recordDecision(services, org, stored, { order, result, proof: stored.proof }, (id) =>
    decisionIdWrites(org, stored, id),
  );
  if (outcome === 'seen') await services.table.transact(decisionIdWrites(org, stored, decisionIdOf(stored)));
  return 'decided';
}
