import { type Environment, everReported } from '../../client/environments.ts';
import { readHead, readSnapshot } from '../environment/reads.ts';
import { route } from '../route.ts';

export const environmentPoliciesRoute = route({
  name: 'environment-policies',
  search: {},
  reads: (params) => [readHead(params)],
  readsAfter: (environment: Environment, params) => (everReported(environment) ? [readSnapshot(params)] : []),
});
