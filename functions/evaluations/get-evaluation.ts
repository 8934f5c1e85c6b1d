import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { readEvaluation } from '#shared/evaluations/records/evaluations.ts';
import { evaluationNotFound } from '#shared/evaluations/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { EvaluationOut, evaluationOut } from './evaluation-output.ts';

/** GET /evaluations/{org}/{evaluation_id}: row 1 of the API document; whatever is no id is unknown, too. */
export const getEvaluation = endpoint({
  operation: 'getEvaluation',
  method: 'GET',
  path: '/evaluations/{org}/{evaluation_id}',
  summary: 'Get an evaluation',
  description: 'Ask again while `status` is `pending`. After 15 minutes without an end it has failed.',
  access: 'reader',
  feature: 'evaluations',
  row: 1,
  params: z.object({ org: z.string(), evaluation_id: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: EvaluationOut },
  errors: [evaluationNotFound],
  uses: READ_BODIES,
  handler: async ({ params, org }, services) => {
    const record = await readEvaluation(services.table, org.id, params.evaluation_id);
    if (!record) throw evaluationNotFound();
    return { status: 200, body: await evaluationOut(services, org.id, record, services.clock.now()) };
  },
});
