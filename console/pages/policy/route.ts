import { environments } from '../../client/environments.ts';
import { policy } from '../../client/policies.ts';
import { read } from '../../client/query-client.ts';
import { oneOf, pageNumber } from '../../model/search-params.ts';
import { route } from '../route.ts';

/** A policy is judged by the states of the environments that it is attached to, which the list of environments has. */
export const readStates = (org: string) =>
  read(environments, { org }, { include: ['states'], per_page: 50, page: 1, sort: 'state' });

const view = oneOf('changes');

export const policyRoute = route({
  name: 'policy',
  search: { version: pageNumber, view },
  reads: (params) => [read(policy, params), readStates(params.org)],
});
