import { readUser } from '../account/user.ts';
import { read } from '../client/query-client.ts';
import { accounts } from '../people/operations.ts';
import { route } from '../routes/route.ts';
import { oneOf } from '../routes/search-params.ts';
import { log, trusts } from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

const settingsSearch = { tab: oneOf('sign-in', 'features', 'statements') };

export const readTrusts = (org: string) => read(trusts, { org }, { per_page: 100 });
export const readAccounts = (org: string) => read(accounts, { org });
export const readLog = (org: string) => read(log, { org });

export const settingsRoute = route({
  name: 'settings',
  search: settingsSearch,
  // Only administrators may read trusts, and the route does not know the role. The panel of the trusts reads them.
  reads: ({ org }, { tab }) => {
    if (tab === undefined) return [readAccounts(org)];
    return tab === 'statements' ? [readLog(org)] : [readUser()];
  },
});
