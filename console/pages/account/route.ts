import { read } from '../../client/query-client.ts';
import { sessions, user } from '../../client/user.ts';
import { route } from '../route.ts';

export const accountRoute = route({
  name: 'account',
  search: {},
  reads: () => [read(user, {}), read(sessions, {})],
});
