import { readFirstTrails, readHomeEnvironments } from '../organization/routes.ts';
import { route } from '../routes/route.ts';
import { oneOf } from '../routes/search-params.ts';
import { readAccounts } from '../settings/routes.ts';
import { CI_NAMES, REPORTER_NAMES } from './model/choices.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

const connectSearch = { ci: oneOf(...CI_NAMES), runs: oneOf(...REPORTER_NAMES) };

export const connectRoute = route({
  name: 'connect',
  search: connectSearch,
  reads: ({ org }) => [readFirstTrails(org), readHomeEnvironments(org), readAccounts(org)],
});
