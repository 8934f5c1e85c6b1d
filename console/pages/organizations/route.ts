import { read } from '../../client/query-client.ts';
import { user } from '../../client/user.ts';
import { route } from '../route.ts';

export const organizationsRoute = route({ name: 'organizations', search: {}, reads: () => [read(user, {})] });
