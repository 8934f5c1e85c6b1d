import { read } from '../client/query-client.ts';
import { flows } from '../flow/operations.ts';
import type { ParamsOf } from '../routes/params.ts';
import { route } from '../routes/route.ts';
import { day, daysPeriod, oneOf, pageNumber, type SearchOf, text } from '../routes/search-params.ts';
import { attestations } from '../trail/operations.ts';
import { isScanned } from './model/attestation-list.ts';
import { type, types } from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

const result = oneOf('compliant', 'non-compliant');
const attestationsSearch = {
  type: text,
  flow: text,
  trail: text,
  fingerprint: text,
  name: text,
  by: text,
  control: text,
  result,
  below: oneOf('identified', 'signed', 'logged'),
  from: day,
  to: day,
  page: pageNumber,
  cursor: text,
};
export type AttestationSearch = SearchOf<typeof attestationsSearch>;

export function readAttestations(org: string, given: AttestationSearch) {
  const { type, flow, trail, fingerprint, name, by, control, result: verdict, below, page, cursor } = given;
  return read(
    attestations,
    { org },
    {
      per_page: 25,
      ...daysPeriod(given),
      ...(type !== undefined && { attestation_type: type }),
      ...(flow !== undefined && { flow }),
      // The API takes a trail only together with its flow.
      ...(flow !== undefined && trail !== undefined && { trail }),
      ...(fingerprint !== undefined && { fingerprint }),
      ...(name !== undefined && { attestation_name: name }),
      ...(by !== undefined && { created_by: by }),
      ...(control !== undefined && { control }),
      ...(verdict !== undefined && { is_compliant: verdict === 'compliant' }),
      ...(below !== undefined && { grade_below: below }),
      ...(isScanned(given) ? { cursor } : { page: page ?? 1 }),
    },
  );
}

/** Names for the filters. */
export const readFlowNames = (org: string) =>
  read(flows, { org }, { page: 1, per_page: 100, sort: 'latest_activity', sort_direction: 'desc' });
export const readTypeNames = (org: string) => read(types, { org }, { short: true, page: 1, per_page: 100 });

export const attestationsRoute = route({
  name: 'attestations',
  search: attestationsSearch,
  reads: ({ org }, given) => [readAttestations(org, given), readFlowNames(org), readTypeNames(org)],
});

const archived = oneOf('with');
const typesSearch = { q: text, archived, page: pageNumber };
export const TYPES_PER_PAGE = 50;

export const readTypes = (org: string, { q, archived: which, page }: SearchOf<typeof typesSearch>) =>
  read(
    types,
    { org },
    {
      page: page ?? 1,
      per_page: TYPES_PER_PAGE,
      ...(q !== undefined && { search: q }),
      ...(which !== undefined && { archived: true }),
    },
  );

export const typesRoute = route({
  name: 'types',
  search: typesSearch,
  reads: ({ org }, given) => [readTypes(org, given)],
});

/** One answer holds all versions. */
export const readType = ({ org, type: name }: ParamsOf<'type'>) => read(type, { org, name });

export const typeRoute = route({
  name: 'type',
  search: { version: pageNumber },
  reads: (params) => [readType(params)],
});
