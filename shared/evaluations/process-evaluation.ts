import type { Id, OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { evaluate } from './evaluate.ts';
import { recordDecision } from './record-decision.ts';
import { bodiesOf, endWrites, failOverdue, removePending } from './records/evaluation-writes.ts';
import { type EvaluationRecord, isOverdue, readEvaluation } from './records/evaluations.ts';
import type { EvaluatorServices } from './services.ts';

/**
 * What one call did. `unknown`: there is no such evaluation. `over`: no work was left, or another worker was first.
 * `completed` and `failed`: this call ended the evaluation.
 */
type WorkOutcome = 'unknown' | 'over' | 'completed' | 'failed';

/**
 * Does the work that an evaluation has left: ends the evaluation, and records its decision in the same transaction. A
 * repeated call changes nothing twice (rules/evaluations.md#once).
 *
 * @throws Error for a fault of the service; the caller may retry
 */
export async function processEvaluation(
  services: EvaluatorServices,
  org: OrganizationId,
  id: Id,
): Promise<WorkOutcome> {
  const stored = await readEvaluation(services.table, org, id);
  if (!stored) return 'unknown';
  if (stored.status === 'pending') return end(services, org, stored);
  await removePending(services.table, org, stored);
  return 'over';
}

async function end(services: EvaluatorServices, org: OrganizationId, stored: EvaluationRecord): Promise<WorkOutcome> {
  const { table, clock } = services;
  if (isOverdue(stored, clock.now())) return fail(services, org, stored);
  const { ending, result } = await evaluate(services, org, stored);
  await Promise.all(bodiesOf(ending).map(({ prepared }) => prepared.upload()));
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

async function fail(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  stored: EvaluationRecord,
): Promise<WorkOutcome> {
  return (await failOverdue(table, org, stored, clock.now())) === 'done' ? 'failed' : 'over';
}
