import { environment, snapshot, snapshots } from '../../client/environments.ts';
import { read } from '../../client/query-client.ts';
import { pageNumber } from '../../model/search-params.ts';
import { route } from '../route.ts';

export const environmentRoute = route({
  name: 'environment',
  search: { page: pageNumber },
  reads: ({ org, env }) => [
    read(environment, { org, env_name: env }),
    read(snapshot, { org, env_name: env, snappish: '-1' }),
    read(snapshots, { org, env_name: env }),
  ],
});
