import { accounts, members, ownKeys } from '../../client/access.ts';
import { read } from '../../client/query-client.ts';
import { route } from '../route.ts';

export const peopleRoute = route({
  name: 'people',
  search: {},
  reads: (params) => [read(members, params), read(accounts, params), read(ownKeys, {})],
});
