import { account, accountKeys } from '../../client/access.ts';
import { read } from '../../client/query-client.ts';
import type { ParamsOf } from '../route.ts';
import { route } from '../route.ts';

type Params = ParamsOf<'service-account'>;

export const readAccount = ({ org, account: name }: Params) => read(account, { org, name });
export const readKeys = ({ org, account: name }: Params) => read(accountKeys, { org, name });

export const serviceAccountRoute = route({
  name: 'service-account',
  search: {},
  reads: (params) => [readAccount(params), readKeys(params)],
});
