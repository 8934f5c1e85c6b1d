import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { prepareBody } from '#shared/bodies/bodies.ts';
import type { EvaluationResult } from '#shared/engines/policy-engine.ts';
import { buildInput } from './context.ts';
import { type DecidingLine, decidingLine } from './deciding-line.ts';
import { recordDecision } from './record-decision.ts';
import { bodiesOf, type Ending, endWrites, failOverdue, removePending } from './records/evaluation-writes.ts';
import { type EvaluationRecord, isOverdue, readEvaluation, readPins } from './records/evaluations.ts';
import { readPolicy, runPolicy } from './run-policy.ts';
import type { EvaluatingServices, EvaluatorServices } from './services.ts';

/**
 * What one call did. `unknown`: there is no such evaluation. `over`: no work was left, or another worker was first.
 * `completed` and `failed`: this call ended the evaluation.
 */
type WorkOutcome = 'unknown' | 'over' | 'completed' | 'failed';

/**
 * Does the work that an evaluation has left: ends the evaluation, and records its decision in the same transaction. A
 * repeated call changes nothing twice (rules/evaluations.md#once).
 *
 * @param request id of the request for the evaluation, if it is known; the decision names it
 * @throws Error for a fault of the service; the caller may retry
 */
export async function processEvaluation(
  services: EvaluatorServices,
  org: OrganizationId,
  id: Id,
  request?: string,
): Promise<WorkOutcome> {
  const stored = await readEvaluation(services.table, org, id);
  if (!stored) return 'unknown';
  if (stored.status === 'pending') return end({ ...services, table: services.table.ofRequest(request) }, org, stored);
  await removePending(services.table, org, stored);
  return 'over';
}

async function end(services: EvaluatorServices, org: OrganizationId, stored: EvaluationRecord): Promise<WorkOutcome> {
  const { table, clock } = services;
  if (isOverdue(stored, clock.now())) return fail(services, org, stored);
  const { ending, result, deniedAt } = await evaluate(services, org, stored);
  await Promise.all(bodiesOf(ending).map(({ prepared }) => prepared.upload()));
  const { decision: order } = stored;
  const outcome =
    order && result
      ? await recordDecision(services, org, stored, { order, result, deniedAt, proof: ending.proof }, (id) =>
          endWrites(org, stored, ending, clock.now(), id),
        )
      : await table.transact(endWrites(org, stored, ending, clock.now()));
  if (outcome === 'done') return ending.status === 'completed' ? 'completed' : 'failed';
  // Another worker was first, or the policy finished after the deadline.
  return isOverdue(stored, clock.now()) ? fail(services, org, stored) : 'over';
}

async function fail(
  { table, clock }: EvaluatorServices,
  org: OrganizationId,
  stored: EvaluationRecord,
): Promise<WorkOutcome> {
  return (await failOverdue(table, org, stored, clock.now())) === 'done' ? 'failed' : 'over';
}

interface Evaluated {
  ending: Ending;
  result: EvaluationResult | null;
  /** Where the program stopped; null unless it denied and a decision was ordered. */
  deniedAt: DecidingLine | null;
}

/** Evaluates the policy of a request and returns the end of the evaluation. Stores nothing. */
async function evaluate(
  services: EvaluatingServices,
  org: OrganizationId,
  record: EvaluationRecord,
): Promise<Evaluated> {
  const [pins, texts] = await Promise.all([readPins(services.objects, org, record), readPolicy(services, org, record)]);
  const { recorded } = record;
  const context = await buildInput(services, org, pins, record, { policy: texts.policy, recorded });
  if ('problem' in context) return failed({ kind: 'context_error', message: context.problem });
  const given = { ...texts, input: context.input };
  const { outcome, proof } = await runPolicy(services, record, given);
  const prepare = (text: string) => prepareBody(services.objects, org, text, `evaluation:${record.id}`);
  const input = prepare(context.input);
  if (outcome.outcome === 'error') return failed(outcome, { proof, input });
  const { result } = outcome;
  const body = prepare(JSON.stringify(result));
  const ending = { status: 'completed' as const, allow: result.allow, result: body, error: null, proof, input };
  return { ending, result, deniedAt: result.allow || !record.decision ? null : await lineOf(services, record, given) };
}

/**
 * Finds the line at which a program that denied stopped, by a second run. An explanation takes more steps of the engine, so it must not
 * change the outcome of the first one.
 *
 * @returns null if the second run reaches a limit of the engine
 */
async function lineOf(
  services: EvaluatingServices,
  record: EvaluationRecord,
  given: Parameters<typeof runPolicy>[2],
): Promise<DecidingLine | null> {
  const { outcome, explanation } = await runPolicy(services, record, given, { explain: true });
  return outcome.outcome === 'result' && explanation ? decidingLine(explanation) : null;
}

const failed = (
  { kind, message }: { kind: NonNullable<EvaluationRecord['error']>['kind']; message: string },
  known: Pick<Ending, 'proof' | 'input'> = { proof: null, input: null },
): Evaluated => ({
  ending: { status: 'failed', allow: null, result: null, error: { kind, message }, ...known },
  result: null,
  deniedAt: null,
});
