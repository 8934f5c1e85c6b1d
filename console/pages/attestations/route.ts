import { flows } from '../../client/flows.ts';
import { read } from '../../client/query-client.ts';
import { attestations } from '../../client/trails.ts';
import { types } from '../../client/types.ts';
import { isScanned } from '../../model/attestation-list.ts';
import { day, daysPeriod, oneOf, pageNumber, type SearchOf, text } from '../../model/search-params.ts';
import { route } from '../route.ts';

const result = oneOf('compliant', 'non-compliant');
const search = {
  type: text,
  flow: text,
  trail: text,
  fingerprint: text,
  name: text,
  by: text,
  control: text,
  result,
  from: day,
  to: day,
  page: pageNumber,
  cursor: text,
};
export type Search = SearchOf<typeof search>;

export function readAttestations(org: string, given: Search) {
  const { type, flow, trail, fingerprint, name, by, control, result: verdict, page, cursor } = given;
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
  search,
  reads: ({ org }, given) => [readAttestations(org, given), readFlowNames(org), readTypeNames(org)],
});
