import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { ERROR_KINDS, EvaluationResult } from '#shared/engines/policy-engine.ts';
import { asOf, readEvaluation } from '#shared/evaluations/records/evaluations.ts';
import { evaluationNotFound, nothingToReplay } from '#shared/evaluations/rules/sentences.ts';
import { readPolicyTexts, runPolicy } from '#shared/evaluations/run-policy.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ProofOut, proofOut } from './evaluation-output.ts';

const ReplayOut = z
  .object({
    id: z.string(),
    replayed_at: z.number(),
    identical: z.boolean().meta({ description: 'Whether both outcomes are exactly the same' }),
    result: EvaluationResult.nullable(),
    error: z.object({ kind: z.enum(ERROR_KINDS), message: z.string() }).nullable(),
    proof: ProofOut,
  })
  .meta({ id: 'EvaluationReplay' });

/** POST …/replay: runs the stored policy on the stored input again and compares the outcomes (rules/evaluations.md#replay-of-an-evaluation). */
export const replayEvaluation = endpoint({
  operation: 'replayEvaluation',
  method: 'POST',
  path: '/evaluations/{org}/{evaluation_id}/replay',
  summary: 'Run an evaluation again and compare the outcomes',
  description: 'Stores nothing. The policy gets the same input and parameters as the first time.',
  access: 'member',
  feature: 'evaluations',
  params: z.object({ org: z.string(), evaluation_id: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: ReplayOut },
  errors: [evaluationNotFound, nothingToReplay],
  uses: READ_BODIES,
  handler: async ({ params, org }, services) => {
    const { table, objects, clock } = services;
    const stored = await readEvaluation(table, org.id, params.evaluation_id);
    if (!stored) throw evaluationNotFound();
    const record = asOf(stored, clock.now());
    if (!record.input || !record.proof) throw nothingToReplay();
    const [texts, input, before] = await Promise.all([
      readPolicyTexts(services, org.id, record),
      readBody(objects, org.id, record.input),
      record.result && readBody(objects, org.id, record.result),
    ]);
    // An erased result, unlike an erased input, would make the replay answer that the outcomes differ.
    if (texts === null || input === null || (record.result && before === null)) throw nothingToReplay();
    const { outcome, proof } = await runPolicy(services, record, { ...texts, input });
    const isResult = outcome.outcome === 'result';
    const error = isResult ? null : { kind: outcome.kind, message: outcome.message };
    const result = isResult ? outcome.result : null;
    const identical = result
      ? JSON.stringify(result) === before
      : record.error?.kind === error?.kind && record.error?.message === error?.message;
    return {
      status: 200,
      body: { id: record.id, replayed_at: toSeconds(clock.now()), identical, result, error, proof: proofOut(proof) },
    };
  },
});
