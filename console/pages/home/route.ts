import { environments } from '../../client/environments.ts';
import { allActions, newestTrails } from '../../client/home.ts';
import { read } from '../../client/query-client.ts';
import { route } from '../route.ts';

/** Environments with their states cost a Query each, so a page has at most 50. Those that need attention come first. */
export const readHomeEnvironments = (org: string) =>
  read(environments, { org }, { include: ['states'], sort: 'state', per_page: 50 });
export const readNewestTrails = (org: string) => read(newestTrails, { org }, { per_page: 20 });
export const readActions = (org: string) => read(allActions, { org });

export const homeRoute = route({
  name: 'home',
  search: {},
  reads: ({ org }) => [readHomeEnvironments(org), readNewestTrails(org), readActions(org)],
});
