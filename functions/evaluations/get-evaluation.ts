import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { Explanation } from '#shared/engines/policy-engine.ts';
import { asOf, readEvaluation } from '#shared/evaluations/records/evaluations.ts';
import { evaluationNotFound } from '#shared/evaluations/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { booleanField } from '#shared/http/query-fields.ts';
import { EvaluationOut, evaluationOut } from './evaluation-output.ts';
import { rerun } from './rerun.ts';

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
  params: z.object({ org: z.string(), evaluation_id: z.string() }),
  query: z.object({
    explain: booleanField().optional().meta({
      description: 'Adds `explanation`: which rules of the policy were tried, and why they held or did not',
    }),
  }),
  body: { kind: 'none' },
  success: {
    200: EvaluationOut.extend({
      explanation: ExplanationOut.nullable()
        .optional()
        .meta({ description: 'Only with `explain=true`; null if there is no outcome to explain' }),
    }).meta({
      id: 'ExplainedEvaluation',
    }),
  },
  errors: [evaluationNotFound],
  uses: READ_BODIES,
  handler: async ({ params, query, org, host }, services) => {
    const record = await readEvaluation(services.table, org.id, params.evaluation_id);
    if (!record) throw evaluationNotFound();
    const now = services.clock.now();
    const [shown, run] = await Promise.all([
      evaluationOut(services, { org, host }, record, now),
      query.explain ? rerun(services, org.id, asOf(record, now), { explain: true }) : undefined,
    ]);
    if (run === undefined) return { status: 200, body: shown };
    const explanation = run?.explanation ? { ...run.explanation, identical: run.identical } : null;
    return { status: 200, body: { ...shown, explanation } };
  },
});
