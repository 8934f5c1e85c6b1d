import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { TrailSummaryOut } from '#shared/evidence/trail-output.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { dataPageSchema } from '#shared/http/paging.ts';
import { pageFields } from '#shared/http/query-fields.ts';
import { trailsPage } from './pages.ts';

export const trailFilters = {
  ...pageFields({ perPage: 20 }),
  fingerprint: z
    .string()
    .optional()
    .meta({ description: 'Only trails in which this artifact was reported; 5 to 64 characters' }),
  flow_tag: z.string().optional().meta({ description: '`key=value`: only trails of flows with this tag' }),
};

/** GET /trails/{org}: trails that match all filters, newest first (rules/trails.md#list-trails). */
export const listTrails = endpoint({
  operation: 'listTrails',
  method: 'GET',
  path: '/trails/{org}',
  summary: 'List trails',
  access: 'reader',
  params: z.object({ org: z.string() }),
  query: z.object({ ...trailFilters, flow: z.string().optional() }),
  body: { kind: 'none' },
  success: { 200: dataPageSchema(TrailSummaryOut) },
  errors: [unknownFlow],
  uses: READ_BODIES,
  handler: (request, services) => trailsPage(services, request, request.query, request.query),
});
