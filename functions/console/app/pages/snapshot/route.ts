import { snapshot } from '../../client/environments.ts';
import { read } from '../../client/query-client.ts';
import { route } from '../route.ts';

export const snapshotRoute = route({
  name: 'snapshot',
  search: {},
  reads: ({ org, env, expression }) => [read(snapshot, { org, env_name: env, snappish: expression })],
});
