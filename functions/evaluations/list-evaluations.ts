import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { listEvaluations as list } from '#shared/evaluations/read-evaluations.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { pageFields } from '#shared/http/query-fields.ts';
import { EvaluationOut, evaluationOut } from './evaluation-output.ts';

/** GET /evaluations/{org}: a page of the organization's evaluations, newest first (rules/evaluations.md#list-of-evaluations). */
export const listEvaluations = endpoint({
  operation: 'listEvaluations',
  method: 'GET',
  path: '/evaluations/{org}',
  summary: 'List evaluations',
  access: 'reader',
  feature: 'evaluations',
  query: z.object(pageFields({ perPage: 20 })),
  success: {
    200: flatPageSchema('evaluations', EvaluationOut, 'The evaluations of the page, newest first').meta({
      id: 'EvaluationsPage',
    }),
  },
  uses: READ_BODIES,
  handler: async (request, stores: Stores) => {
    const { query, org } = request;
    const page = { page: query.page, perPage: query.per_page };
    const { total, evaluations } = await list(stores, org, page);
    const shown = { ...page, total, items: evaluations.map((one) => evaluationOut(one, request)) };
    return pageAnswer(request, shown, flatPage('evaluations', request, shown));
  },
});
