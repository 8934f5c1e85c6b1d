import { read } from '../client/query-client.ts';
import type { ParamsOf } from '../routes/params.ts';
import { route } from '../routes/route.ts';
import { oneOf, pageNumber, text } from '../routes/search-params.ts';
import { attestations, trail } from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

const tab = oneOf('events', 'history', 'raw');

/** A trail, with the steps that led to its verdict. */
export const readTrail = (params: ParamsOf<'trail'>, moment: number | undefined) =>
  read(trail, params, { moment, reasons: 'chain' as const });

export const trailRoute = route({
  name: 'trail',
  search: { attestation_id: text, tab, moment: pageNumber, page: pageNumber },
  reads: (params, { moment, attestation_id: id }) => [
    readTrail(params, moment),
    ...(id === undefined ? [] : [read(attestations, { org: params.org }, { attestation_id: id })]),
  ],
});
