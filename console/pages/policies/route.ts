import { policies } from '../../client/policies.ts';
import { read } from '../../client/query-client.ts';
import { route } from '../route.ts';

export const policiesRoute = route({
  name: 'policies',
  search: {},
  reads: (params) => [read(policies, params)],
});
