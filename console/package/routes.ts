import { read } from '../client/query-client.ts';
import { log } from '../environment/history/operations.ts';
import { route } from '../routes/route.ts';
import { exports } from './operations.ts';

/** The route of the theme, and what its page reads. Loaded at once, so it holds no part of a page. */
export const exportsRoute = route({
  name: 'exports',
  search: {},
  reads: (params) => [read(exports, params), read(log, params)],
});
