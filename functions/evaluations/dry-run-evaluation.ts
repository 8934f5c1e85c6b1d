import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { EvaluationResult, Explanation } from '#shared/engines/policy-engine.ts';
import { dryRunEvaluation as dryRun } from '#shared/evaluations/dry-run-evaluation.ts';
import type { EvaluatingServices } from '#shared/evaluations/services.ts';
import { unknownTrail } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { booleanField } from '#shared/http/query-fields.ts';
import { ErrorOut, outcomeOut, ProofOut, proofOut } from './evaluation-output.ts';
import { EvaluationRequest, policyToRun, refuseFuture } from './request-fields.ts';

const DryRunOut = z
  .object({
    recorded_at: z.number().meta({ description: 'The instant as of which every trail of the context was read' }),
    result: EvaluationResult.nullable().describe('Output of the policy; null unless the evaluation is completed'),
    error: ErrorOut.nullable().describe('Why the evaluation failed; null unless it failed'),
    proof: ProofOut.nullable().meta({ description: 'Null if the policy was not evaluated' }),
    explanation: Explanation.nullable().optional().meta({ description: 'Only with `explain=true`' }),
  })
  .meta({ id: 'EvaluationDryRun' });

/** POST /evaluations/{org}/dry-run: evaluates a policy at once and stores nothing (rules/evaluations.md#dry-run-of-an-evaluation). */
export const dryRunEvaluation = endpoint({
  operation: 'dryRunEvaluation',
  method: 'POST',
  path: '/evaluations/{org}/dry-run',
  summary: 'Try a policy on trails, without storing anything',
  description:
    'The body is that of an evaluation. The answer has its outcome. A `decision` is accepted and not recorded.',
  access: 'member',
  feature: 'evaluations',
  query: z.object({
    explain: booleanField().optional().meta({
      description: 'Adds `explanation`: which rules of the policy were tried, and why they held or did not',
    }),
  }),
  body: { kind: 'json', schema: EvaluationRequest },
  success: { 200: DryRunOut },
  errors: [unknownTrail],
  checks: [({ sent }, { clock }) => refuseFuture(sent, clock.now())],
  uses: READ_BODIES,
  handler: async ({ body, bodyText, query, org, host }, services: EvaluatingServices) => {
    const { explain = false } = query;
    const run = await dryRun(services, org, host, policyToRun(body, bodyText), { explain });
    const { recorded, outcome, proof, explanation = null } = run;
    return {
      status: 200,
      body: {
        recorded_at: toSeconds(recorded),
        ...outcomeOut(outcome),
        proof: proof && proofOut(proof),
        ...(explain && proof && { explanation }),
      },
    };
  },
});
