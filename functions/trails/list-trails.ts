import * as z from 'zod';
import { AnyFlowName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { TrailsPage, trailsPage } from './pages.ts';
import { trailChecks, trailFilters } from './trail-filters.ts';

/** GET /trails/{org}: trails that match all filters, newest first (rules/trails.md#list-trails). */
export const listTrails = endpoint({
  operation: 'listTrails',
  method: 'GET',
  path: '/trails/{org}',
  summary: 'List trails',
  access: 'reader',
  query: z.object({ ...trailFilters, flow: AnyFlowName.optional() }),
  success: { 200: TrailsPage },
  errors: [unknownFlow],
  uses: READ_BODIES,
  checks: trailChecks,
  handler: (request, stores: Stores) => trailsPage(stores, request, request.query, request.query),
});
