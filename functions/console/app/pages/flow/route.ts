import { flow } from '../../client/flows.ts';
import { read } from '../../client/query-client.ts';
import { flowTrails } from '../../client/trails.ts';
import { pageNumber } from '../../model/search-params.ts';
import { route } from '../route.ts';

export const flowRoute = route({
  name: 'flow',
  search: { page: pageNumber },
  reads: (params, { page }) => [read(flow, params), read(flowTrails, params, { page, per_page: 50 })],
});
