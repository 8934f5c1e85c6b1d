import type { Id, OrganizationId } from '#shared/base/ids.ts';
import type { Services } from '#shared/http/services.ts';
import { evaluate } from './evaluate.ts';
import { recordDecision } from './record-decision.ts';
import { endEvaluation, failOverdue, removePending, storeDecisionId } from './records/evaluation-writes.ts';
import { type EvaluationRecord, isOverdue, readEvaluation } from './records/evaluations.ts';

/**
 * What one call did. `unknown`: there is no such evaluation. `over`: no work was left, or another worker was first.
 * `completed` and `failed`: this call ended the evaluation. `decided`: this call recorded the decision.
 */
export type WorkOutcome = 'unknown' | 'over' | 'completed' | 'failed' | 'decided';

/**
 * Does the work that an evaluation has left: ends the evaluation, then records its decision. A repeated call changes nothing
 * twice (rules/evaluations.md#once).
 *
 * @throws Error for a fault of the service; the caller may retry
 */
export async function processEvaluation(services: Services, org: OrganizationId, id: Id): Promise<WorkOutcome> {
  const { table } = services;
  const stored = await readEvaluation(table, org, id);
  if (!stored) return 'unknown';
  if (stored.status === 'pending') {
    const outcome = await end(services, org, stored);
    if (outcome !== 'completed' || stored.decision === null) return outcome;
    return processEvaluation(services, org, id);
  }
  const { decision } = stored;
  if (stored.status === 'failed' || decision === null || stored.decisionId !== null) {
    await removePending(table, org, stored);
    return 'over';
  }
  await storeDecisionId(table, org, stored, await recordDecision(services, org, stored, decision));
  return 'decided';
}

/** Ends a pending evaluation with the outcome of its policy, or as failed if its deadline is over. */
async function end(services: Services, org: OrganizationId, stored: EvaluationRecord): Promise<WorkOutcome> {
  const { table, clock } = services;
  if (isOverdue(stored, clock.now())) return fail(services, org, stored);
  const ending = await evaluate(services, org, stored);
  await Promise.all(ending.bodies.map((body) => body.upload()));
  const outcome = await endEvaluation(table, org, stored, ending, clock.now());
  if (outcome === 'done') return ending.status === 'completed' ? 'completed' : 'failed';
  // Another worker was first, or the policy finished after the deadline.
  return isOverdue(stored, clock.now()) ? fail(services, org, stored) : 'over';
}

async function fail({ table, clock }: Services, org: OrganizationId, stored: EvaluationRecord): Promise<WorkOutcome> {
  return (await failOverdue(table, org, stored, clock.now())) === 'done' ? 'failed' : 'over';
}
