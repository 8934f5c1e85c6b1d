import { read } from '../client/query-client.ts';
import { environments } from '../environment/operations.ts';
import { route } from '../routes/route.ts';
import { oneOf, pageNumber } from '../routes/search-params.ts';
import { policies, policy } from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

export const policiesRoute = route({
  name: 'policies',
  search: {},
  reads: (params) => [read(policies, params)],
});

/** A policy is judged by the states of the environments that it is attached to, which the list of environments has. */
export const readStates = (org: string) =>
  read(environments, { org }, { include: ['states', 'silence'], per_page: 50, page: 1, sort: 'state' });

const view = oneOf('changes');

export const policyRoute = route({
  name: 'policy',
  search: { version: pageNumber, view },
  reads: (params) => [read(policy, params), readStates(params.org)],
});
