import { read } from '../client/query-client.ts';
import { route } from '../routes/route.ts';
import { oneOf, pageNumber, text } from '../routes/search-params.ts';
import { attestations, trail } from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

const tab = oneOf('events', 'history', 'raw');

export const trailRoute = route({
  name: 'trail',
  search: { attestation_id: text, tab, moment: pageNumber, page: pageNumber },
  reads: (params, { moment, attestation_id: id }) => [
    read(trail, params, { moment }),
    ...(id === undefined ? [] : [read(attestations, { org: params.org }, { attestation_id: id })]),
  ],
});
