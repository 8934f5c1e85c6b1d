import { read } from '../../client/query-client.ts';
import { trail } from '../../client/trails.ts';
import { oneOf, text } from '../../model/search-params.ts';
import { route } from '../route.ts';

export const trailRoute = route({
  name: 'trail',
  search: { attestation_id: text, tab: oneOf('events', 'history', 'raw') },
  reads: (params) => [read(trail, params)],
});
