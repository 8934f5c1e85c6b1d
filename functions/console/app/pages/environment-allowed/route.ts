import { readHead, readRows } from '../environment/reads.ts';
import { route } from '../route.ts';

export const environmentAllowedRoute = route({
  name: 'environment-allowed',
  search: {},
  reads: (params) => [readHead(params), readRows(params)],
});
