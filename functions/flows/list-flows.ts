import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { listFlows as list } from '#shared/evidence/flows/list-flows.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { dataPage, dataPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { booleanField, integerField } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { FlowOut, flowOut, unreadableFlow } from './flow-output.ts';

const DEFAULT_PAGE = { page: 1, per_page: 20 };

const Query = z.object({
  page: integerField({ min: 1 }).optional().meta({ description: 'Number of the page, from 1' }),
  per_page: integerField({ min: 1, max: 100 }).optional().meta({ description: 'Records per page; the default is 20' }),
  search_by_name: z.string().optional().meta({ description: 'Only flows whose name contains this text' }),
  case_sensitive: booleanField().default(true),
  sort: z.enum(['name', 'latest_activity']).default('name'),
  sort_direction: z.enum(['asc', 'desc']).default('asc'),
});

/** GET /flows/{org}: all flows that are not archived, or one page of these (rules/flows.md#list-flows). */
export const listFlows = endpoint({
  operation: 'listFlows',
  method: 'GET',
  path: '/flows/{org}',
  summary: 'List the flows of an organization',
  description: 'An array of all flows; with `page` or `per_page` an object with one page.',
  access: 'reader',
  query: Query,
  success: { 200: z.union([z.array(FlowOut), dataPageSchema(FlowOut).meta({ id: 'FlowsPage' })]) },
  uses: READ_BODIES,
  handler: async (request, stores: Pick<Stores, 'table' | 'objects'>) => {
    const { query, org } = request;
    const { page = DEFAULT_PAGE.page, per_page: perPage = DEFAULT_PAGE.per_page } = query;
    const isPaged = query.page !== undefined || query.per_page !== undefined;
    const { total, flows } = await list(stores, org, {
      text: query.search_by_name,
      isCaseSensitive: query.case_sensitive,
      sort: query.sort,
      direction: query.sort_direction,
      ...(isPaged && { page: { page, perPage } }),
    });
    const items = flows.map((flow) => {
      if (!('unreadable' in flow)) return flowOut(flow, request);
      logUnreadable('flows', request, `flow ${flow.id}`, flow.unreadable);
      return unreadableFlow(flow.id, flow.name, request);
    });
    if (!isPaged) return { status: 200, body: items };
    const shown = { page, perPage, total, items };
    return pageAnswer(request, shown, dataPage(shown));
  },
});
