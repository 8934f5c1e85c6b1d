import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { EvaluationResult } from '#shared/engines/policy-engine.ts';
import { replayEvaluation as replay } from '#shared/evaluations/rerun-evaluation.ts';
import { evaluationNotFound, nothingToReplay } from '#shared/evaluations/rules/sentences.ts';
import type { EvaluatingServices } from '#shared/evaluations/services.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ErrorOut, outcomeOut, ProofOut, proofOut } from './evaluation-output.ts';

const ReplayOut = z
  .object({
    id: z.string().describe('Id of the evaluation that was repeated'),
    replayed_at: z.number().describe('When the evaluation was repeated, in seconds since the epoch'),
    identical: z.boolean().meta({ description: 'Whether both outcomes are exactly the same' }),
    result: EvaluationResult.nullable().describe('Output of the policy; null unless the evaluation is completed'),
    error: ErrorOut.nullable().describe('Why the evaluation failed; null unless it failed'),
    proof: ProofOut.describe('Digests of everything that was evaluated'),
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
  success: { 200: ReplayOut },
  errors: [evaluationNotFound, nothingToReplay],
  uses: READ_BODIES,
  handler: async ({ params, org }, services: EvaluatingServices) => {
    const { id, replayed, identical, outcome, proof } = await replay(services, org, params.evaluation_id);
    return {
      status: 200,
      body: { id, replayed_at: toSeconds(replayed), identical, ...outcomeOut(outcome), proof: proofOut(proof) },
    };
  },
});
