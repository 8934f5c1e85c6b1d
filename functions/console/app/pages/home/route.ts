import { environments } from '../../client/environments.ts';
import { flows } from '../../client/flows.ts';
import { read } from '../../client/query-client.ts';
import { route } from '../route.ts';

export const homeRoute = route({
  name: 'home',
  search: {},
  reads: ({ org }) => [read(environments, { org }), read(flows, { org })],
});
