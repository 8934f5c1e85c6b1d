import type { OrganizationId } from '#shared/base/ids.ts';
import { prepareBody } from '#shared/bodies/bodies.ts';
import type { EvaluationResult } from '#shared/engines/policy-engine.ts';
import type { Ending } from '#shared/evaluations/records/evaluation-writes.ts';
import { type EvaluationRecord, readPins } from '#shared/evaluations/records/evaluations.ts';
import { readPolicy, runPolicy } from '#shared/evaluations/run-policy.ts';
import { buildInput } from './context.ts';
import type { EvaluatingServices } from './services.ts';

interface Evaluated {
  ending: Ending;
  result: EvaluationResult | null;
}

/** Evaluates the policy of a request and returns the end of the evaluation. Stores nothing. */
export async function evaluate(
  services: EvaluatingServices,
  org: OrganizationId,
  record: EvaluationRecord,
): Promise<Evaluated> {
  const [context, texts] = await Promise.all([
    readPins(services.objects, org, record).then((pins) => buildInput(services, org, pins, record)),
    readPolicy(services, org, record),
  ]);
  if ('problem' in context) return failed({ kind: 'context_error', message: context.problem });
  const { outcome, proof } = await runPolicy(services, record, { ...texts, input: context.input });
  const prepare = (text: string) => prepareBody(services.objects, org, text, `evaluation:${record.id}`);
  const input = prepare(context.input);
  if (outcome.outcome === 'error') return failed(outcome, { proof, input });
  const { result } = outcome;
  const body = prepare(JSON.stringify(result));
  const ending = { status: 'completed' as const, allow: result.allow, result: body, error: null, proof, input };
  return { ending, result };
}

const failed = (
  { kind, message }: { kind: NonNullable<EvaluationRecord['error']>['kind']; message: string },
  known: Pick<Ending, 'proof' | 'input'> = { proof: null, input: null },
): Evaluated => ({
  ending: { status: 'failed', allow: null, result: null, error: { kind, message }, ...known },
  result: null,
});
