import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { readEvaluation } from '#shared/evaluations/records/evaluations.ts';
import { evaluationNotFound } from '#shared/evaluations/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { EvaluationOut, evaluationOut } from './evaluation-output.ts';

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
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: EvaluationOut },
  errors: [evaluationNotFound],
  uses: READ_BODIES,
  handler: async ({ params, org, host }, services) => {
    const record = await readEvaluation(services.table, org.id, params.evaluation_id);
    if (!record) throw evaluationNotFound();
    return { status: 200, body: await evaluationOut(services, { org, host }, record, services.clock.now()) };
  },
});
