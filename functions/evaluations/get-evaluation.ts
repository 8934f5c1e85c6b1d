import * as z from 'zod';
import { reasonFields, reasonsField, reasonsOut } from '#functions/forms/reasons.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { Explanation } from '#shared/engines/policy-engine.ts';
import { explainVerdict, reasonReading } from '#shared/evaluations/explain-decisions.ts';
import { getEvaluation as get } from '#shared/evaluations/read-evaluations.ts';
import { explainEvaluation } from '#shared/evaluations/rerun-evaluation.ts';
import { evaluationNotFound } from '#shared/evaluations/rules/sentences.ts';
import type { EvaluatingServices } from '#shared/evaluations/services.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { booleanField } from '#shared/http/query-fields.ts';
import { EvaluationOut, evaluationOut } from './evaluation-output.ts';

/** The explanation of a stored evaluation. It is made by a second run. */
const ExplanationOut = Explanation.extend({
  identical: z.boolean().meta({ description: 'Whether the run that was explained had exactly the stored outcome' }),
}).meta({ id: 'StoredExplanation', description: 'A stored outcome, explained by a second run' });

/** GET /evaluations/{org}/{evaluation_id}: one evaluation; 404 also for a text that is no id (rules/evaluations.md#unknown-evaluation). */
export const getEvaluation = endpoint({
  operation: 'getEvaluation',
  method: 'GET',
  path: '/evaluations/{org}/{evaluation_id}',
  summary: 'Get an evaluation',
  description:
    'Repeat the request while `status` is `pending`. An evaluation that does not end within 15 minutes has failed.',
  access: 'reader',
  feature: 'evaluations',
  row: 1,
  query: z.object({
    explain: booleanField().optional().meta({
      description: 'Adds `explanation`: which rules of the policy were tried, and why they held or did not',
    }),
    ...reasonsField,
  }),
  success: {
    200: EvaluationOut.extend({
      explanation: ExplanationOut.nullable()
        .optional()
        .meta({ description: 'Only with `explain=true`; null if there is no outcome to explain' }),
      ...reasonFields,
    }).meta({ id: 'ExplainedEvaluation' }),
  },
  errors: [evaluationNotFound],
  uses: READ_BODIES,
  handler: async ({ params, query, org, host }, services: EvaluatingServices) => {
    const { evaluation_id: id } = params;
    const { explanation, ...read } = query.explain
      ? await explainEvaluation(services, org, id)
      : { ...(await get(services, org, id)), explanation: undefined };
    const at = { org, host };
    const chain = query.reasons && (await explainVerdict(reasonReading(services), at, read));
    return {
      status: 200,
      body: { ...evaluationOut(read, at), ...(explanation !== undefined && { explanation }), ...reasonsOut(chain) },
    };
  },
});
