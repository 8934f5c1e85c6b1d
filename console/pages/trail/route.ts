import { read } from '../../client/query-client.ts';
import { trail } from '../../client/trails.ts';
import { oneOf, pageNumber, text } from '../../model/search-params.ts';
import { route } from '../route.ts';

const tab = oneOf('events', 'history', 'raw');

export const trailRoute = route({
  name: 'trail',
  search: { attestation_id: text, tab, moment: pageNumber, page: pageNumber },
  reads: (params, { moment }) => [read(trail, params, { moment })],
});
