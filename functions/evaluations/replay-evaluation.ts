import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { EvaluationResult } from '#shared/engines/policy-engine.ts';
import { asOf, readEvaluation } from '#shared/evaluations/records/evaluations.ts';
import { evaluationNotFound, nothingToReplay } from '#shared/evaluations/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ErrorOut, ProofOut, proofOut } from './evaluation-output.ts';
import { rerun } from './rerun.ts';

const ReplayOut = z
  .object({
    id: z.string(),
    replayed_at: z.number(),
    identical: z.boolean().meta({ description: 'Whether both outcomes are exactly the same' }),
    result: EvaluationResult.nullable(),
    error: ErrorOut.nullable(),
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
    const { table, clock } = services;
    const stored = await readEvaluation(table, org.id, params.evaluation_id);
    if (!stored) throw evaluationNotFound();
    const record = asOf(stored, clock.now());
    const run = await rerun(services, org.id, record);
    if (!run) throw nothingToReplay();
    const { identical, result, error, proof } = run;
    return {
      status: 200,
      body: { id: record.id, replayed_at: toSeconds(clock.now()), identical, result, error, proof: proofOut(proof) },
    };
  },
});
