import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { TrailsPage, trailsPage } from './pages.ts';
import { trailChecks, trailFilters } from './trail-filters.ts';

/** GET /trails/{org}/{flow}: the trails of one flow, newest first (rules/trails.md#list-trails). */
export const listFlowTrails = endpoint({
  operation: 'listFlowTrails',
  method: 'GET',
  path: '/trails/{org}/{flow}',
  summary: 'List the trails of a flow',
  access: 'reader',
  query: z.object(trailFilters),
  success: { 200: TrailsPage },
  errors: [unknownFlow],
  uses: READ_BODIES,
  checks: trailChecks,
  handler: (request, stores: Stores) => {
    const { params, query } = request;
    const { fingerprint, flow_tag } = query;
    return trailsPage(stores, request, { flow: params.flow, fingerprint, flow_tag }, query);
  },
});
