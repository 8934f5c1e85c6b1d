import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { TrailSummaryOut } from '#shared/evidence/trail-output.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { dataPageSchema } from '#shared/http/paging.ts';
import { trailFilters } from './list-trails.ts';
import { trailsPage } from './pages.ts';

/** GET /trails/{org}/{flow}: the trails of one flow, newest first (rules/trails.md#list-trails). */
export const listFlowTrails = endpoint({
  operation: 'listFlowTrails',
  method: 'GET',
  path: '/trails/{org}/{flow}',
  summary: 'List the trails of a flow',
  access: 'reader',
  params: z.object({ org: z.string(), flow: z.string() }),
  query: z.object(trailFilters),
  body: { kind: 'none' },
  success: { 200: dataPageSchema(TrailSummaryOut) },
  errors: [unknownFlow],
  uses: READ_BODIES,
  handler: (request, services) => {
    const { params, query } = request;
    return trailsPage(services, request, { ...query, flow: params.flow }, query);
  },
});
