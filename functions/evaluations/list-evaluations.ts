import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { EVALUATIONS, readEvaluations } from '#shared/evaluations/records/evaluations.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { pageFields } from '#shared/http/query-fields.ts';
import { seriesPage } from '#shared/series/series.ts';
import { EvaluationOut, evaluationOut } from './evaluation-output.ts';

/** GET /evaluations/{org}: a page of the organization's evaluations, newest first (rules/evaluations.md#list-of-evaluations). */
export const listEvaluations = endpoint({
  operation: 'listEvaluations',
  method: 'GET',
  path: '/evaluations/{org}',
  summary: 'List evaluations',
  access: 'reader',
  feature: 'evaluations',
  params: z.object({ org: z.string() }),
  query: z.object(pageFields({ perPage: 20 })),
  body: { kind: 'none' },
  success: { 200: flatPageSchema('evaluations', EvaluationOut).meta({ id: 'EvaluationsPage' }) },
  errors: [],
  uses: READ_BODIES,
  handler: async (request, services) => {
    const { query, org } = request;
    const { page, per_page: perPage } = query;
    const now = services.clock.now();
    const { total, entries } = await seriesPage(services.table, org.id, EVALUATIONS, { page, perPage }, now);
    const ids = entries.map(({ r }) => String(r));
    const records = await readEvaluations(services.table, org.id, ids);
    const items = await Promise.all(records.map((record) => evaluationOut(services, request, record, now)));
    const shown = { page, perPage, total, items };
    return pageAnswer(request, shown, flatPage('evaluations', request, shown));
  },
});
