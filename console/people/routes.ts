import { read } from '../client/query-client.ts';
import type { ParamsOf } from '../routes/params.ts';
import { route } from '../routes/route.ts';
import { account, accountKeys, accounts, members, ownKeys } from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

export const peopleRoute = route({
  name: 'people',
  search: {},
  reads: (params) => [read(members, params), read(accounts, params), read(ownKeys, {})],
});

type AccountPlace = ParamsOf<'service-account'>;

export const readAccount = ({ org, account: name }: AccountPlace) => read(account, { org, name });
export const readKeys = ({ org, account: name }: AccountPlace) => read(accountKeys, { org, name });

export const serviceAccountRoute = route({
  name: 'service-account',
  search: {},
  reads: (params) => [readAccount(params), readKeys(params)],
});
