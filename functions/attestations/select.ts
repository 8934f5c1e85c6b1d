import type { Organization } from '#shared/http/endpoint.ts';
import { unknownFlow } from '#shared/http/sentences.ts';
import { isId } from '#shared/ids.ts';
import type { Services } from '#shared/services.ts';
import { trailsOf } from '#shared/store/artifact-records.ts';
import { ATTESTATIONS, readAttestation } from '#shared/store/attestation-records.ts';
import { type FlowHead, findFlow } from '#shared/store/flows.ts';
import { listingEntries, listingPage } from '#shared/store/listings.ts';
import { type Moment, readMoments } from '#shared/store/moments.ts';
import { boundTo } from './named.ts';

export interface Filters {
  attestation_id?: string | undefined;
  type?: string | undefined;
  flow?: string | undefined;
  trail?: string | undefined;
  fingerprint?: string | undefined;
}

interface Selected {
  total: number;
  /** Ids of the page's records, newest first. */
  ids: string[];
}

/**
 * Chooses the list that answers the filters at a bounded cost: one record, the moments of the trails in question, or
 * the organization's series narrowed by flow and type (design §4).
 * @throws ApiError 404 for an unknown flow
 */
export async function selectAttestations(
  services: Services,
  org: Organization,
  filters: Filters,
  page: { page: number; perPage: number },
): Promise<Selected> {
  const { table, clock } = services;
  const flow = filters.flow === undefined ? undefined : await findFlow(table, org.id, filters.flow);
  if (flow === null) throw unknownFlow({ flow: filters.flow ?? '', org: org.name });
  if (filters.attestation_id !== undefined) return selectOne(services, org, filters, flow);
  if (filters.trail !== undefined || filters.fingerprint !== undefined) {
    const found = await inTrails(services, org, filters, flow);
    const start = (page.page - 1) * page.perPage;
    return { total: found.length, ids: found.slice(start, start + page.perPage) };
  }
  const facet = { ...(flow && { f: flow.id }), ...(filters.type !== undefined && { y: filters.type }) };
  const { total, entries } = await listingPage(table, org.id, ATTESTATIONS, facet, page, clock.now());
  return { total, ids: entries.map(({ r }) => String(r)) };
}

async function selectOne(
  { table }: Services,
  org: Organization,
  filters: Filters,
  flow: FlowHead | undefined,
): Promise<Selected> {
  const { attestation_id: id = '', type, trail, fingerprint } = filters;
  const record = isId(id) ? await readAttestation(table, org.id, id) : null;
  const fits =
    record !== null &&
    (type === undefined || record.type === type) &&
    (flow === undefined || record.flow === flow.id) &&
    (trail === undefined || record.trail === trail) &&
    (fingerprint === undefined || record.fingerprint === fingerprint);
  return fits ? { total: 1, ids: [record.id] } : { total: 0, ids: [] };
}

/** Attestations of a trail, of an artifact, or of both together: read from the moments of the trails in question. */
async function inTrails(
  { table, clock }: Services,
  org: Organization,
  { trail, fingerprint, type }: Filters,
  flow: FlowHead | undefined,
): Promise<string[]> {
  const places =
    fingerprint === undefined
      ? [{ flow: flow?.id ?? '', trail: trail ?? '' }]
      : (await listingEntries(table, org.id, trailsOf(fingerprint), flow ? { f: flow.id } : {}, clock.now()))
          .map(({ f, t }) => ({ flow: String(f), trail: String(t) }))
          .filter((place) => trail === undefined || place.trail === trail);
  const moments = await Promise.all(
    places.map((place) =>
      readMoments(table, org.id, place.flow, place.trail, { from: 1, to: Number.MAX_SAFE_INTEGER }),
    ),
  );
  return moments
    .flatMap((all) => (fingerprint === undefined ? all : boundTo(all, fingerprint)))
    .filter((moment) => isAttestation(moment) && (type === undefined || recordType(moment) === type))
    .sort((a, b) => b.at - a.at)
    .flatMap(({ record }) => record ?? []);
}

const isAttestation = ({ said }: Moment) => said.changes.some(({ kind }) => kind === 'attestation');
const recordType = ({ said }: Moment) => said.show?.['type'];
