import {
  type AttestationId,
  type Fingerprint,
  type FlowId,
  isFingerprint,
  isId,
  type OrganizationId,
  storedId,
} from '#shared/base/ids.ts';
import { type FlowName, storedName, type TrailName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import {
  type AttestationRecord,
  readAttestation,
  readAttestations,
} from '#shared/evidence/records/attestation-records.ts';
import { isPlausibleName, readFlowNames } from '#shared/evidence/records/flows.ts';
import { type Moment, readAttestationsPage, readMomentsOfTrails } from '#shared/evidence/records/moments.ts';
import { hasAttestation } from '#shared/evidence/rules/trail-state.ts';
import type { Facet } from '#shared/series/facets.ts';
import { listingEntries, listingPage } from '#shared/series/listings.ts';
import type { SeriesPage, SeriesQuery, Window } from '#shared/series/series.ts';
import type { Table } from '#shared/table/table.ts';
import { type BroughtAttestation, broughtBy, momentsBoundTo, readBrought } from './attestations-of-moments.ts';
import { readOfFlow } from './flows/get-flow.ts';
import { ATTESTATIONS, EVIDENCE_FACETS, trailsOf } from './rules/series-kinds.ts';

export interface Filters {
  attestation_id?: string | undefined;
  type?: string | undefined;
  flow?: FlowName | undefined;
  trail?: TrailName | undefined;
  fingerprint?: string | undefined;
  /** Only attestations of this time. */
  window?: Window | undefined;
}

interface Place extends BroughtAttestation {
  flow: FlowId;
}

interface Page {
  page: number;
  perPage: number;
}

export interface Selected {
  total: number;
  /** The records of the page, newest first. */
  records: AttestationRecord[];
  /** Returns the present name of a flow that a record names. */
  flowName: (flow: FlowId) => string | Promise<string>;
}

const NONE: Selected = { total: 0, records: [], flowName: () => '' };

/** The form of every type: `generic`, `custom:<name>`. Other texts match nothing and must not become parts of keys. */
const PLAUSIBLE_TYPE = /^[\w.~:-]{1,300}$/;

/** Whether any attestation can match: other texts must not become parts of keys. */
export const canMatch = ({ trail, fingerprint, type }: Filters): boolean =>
  (trail === undefined || isPlausibleName(trail)) &&
  (fingerprint === undefined || isFingerprint(fingerprint)) &&
  (type === undefined || PLAUSIBLE_TYPE.test(type));

/** Reads a page of the series of attestations of a flow and a type as of an instant (rules/lists.md#facets). */
export function attestationsPage(
  table: Table,
  org: OrganizationId,
  { flow, type }: { flow: FlowId | undefined; type: string | undefined },
  page: SeriesQuery,
  now: Micros,
  window: Window | undefined,
): Promise<SeriesPage> {
  const facet = { ...(flow !== undefined && { f: flow }), ...(type !== undefined && { y: type }) };
  return listingPage(table, org, EVIDENCE_FACETS, ATTESTATIONS, facet, page, now, window);
}

const isInWindow = (at: Micros, window: Window | undefined): boolean =>
  window === undefined || (at >= window.from && at <= window.to);

/**
 * Selects a page of attestations (rules/attestations.md#list-attestations). To keep the cost bounded, it reads one of
 * three sources: one record, the moments of the matching trails, or the organization's series by flow and type. Of one
 * trail without other filters it reads only the moments of the page.
 *
 * @throws ServiceError `not-found` if the flow is unknown
 */
export const selectAttestations = (stores: Stores, org: Organization, filters: Filters, page: Page) =>
  readOfFlow(stores, org, filters.flow, (flow) => selectMatching(stores, org, filters, flow, page));

async function selectMatching(
  stores: Stores,
  org: Organization,
  filters: Filters,
  flow: FlowId | undefined,
  page: Page,
): Promise<Selected> {
  const { table } = stores;
  const { type, trail, fingerprint } = filters;
  if (filters.attestation_id !== undefined) return selectOne(stores, org, filters, flow, page);
  if (!canMatch(filters)) return NONE;
  if (trail !== undefined && flow !== undefined && fingerprint === undefined && type === undefined && !filters.window) {
    const found = await readAttestationsPage(table, org.id, { flow, trail }, page);
    return withBrought(found.total, found.moments.flatMap(placeOf));
  }
  if (trail !== undefined || fingerprint !== undefined) {
    const found = await findInTrails(stores, org, filters, flow, [type]);
    const start = (page.page - 1) * page.perPage;
    return withBrought(found.length, found.slice(start, start + page.perPage));
  }
  const { total, entries } = await attestationsPage(
    table,
    org.id,
    { flow, type },
    page,
    stores.clock.now(),
    filters.window,
  );
  const ids = entries.map(({ r }) => storedId<AttestationId>(String(r)));
  const flows = entries.map(({ f }) => storedId<FlowId>(String(f)));
  return withNames(total, readAttestations(table, org.id, ids), flows);

  function withBrought(total: number, found: readonly Place[]): Promise<Selected> {
    const flows = found.map((place) => place.flow);
    return withNames(total, readBrought(table, org.id, found), flows);
  }

  async function withNames(total: number, found: Promise<AttestationRecord[]>, flows: readonly FlowId[]) {
    const [records, names] = await Promise.all([found, readFlowNames(table, org.id, flows)]);
    return { total, records, flowName: (id: FlowId) => names.get(id) ?? '' };
  }
}

async function selectOne(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  { attestation_id: id = '', type, trail, fingerprint, window }: Filters,
  flow: FlowId | undefined,
  { page }: Page,
): Promise<Selected> {
  const record = isId<AttestationId>(id) ? await readAttestation(table, org.id, id) : null;
  const fits =
    record !== null &&
    (type === undefined || record.type === type) &&
    (flow === undefined || record.flow === flow) &&
    (trail === undefined || record.trail === trail) &&
    (fingerprint === undefined || record.fingerprint === fingerprint) &&
    isInWindow(record.at, window);
  if (!fits) return NONE;
  return {
    total: 1,
    records: page === 1 ? [record] : [],
    flowName: async () => (await readFlowNames(table, org.id, [record.flow])).get(record.flow) ?? '',
  };
}

/**
 * Finds the attestations of a trail, of an artifact, or of an artifact in one trail, in the moments of the matching
 * trails.
 *
 * @param types those of one of these types; undefined among them = of any type
 */
export async function findInTrails(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  { trail, fingerprint: given, window }: Omit<Filters, 'type'>,
  flow: FlowId | undefined,
  types: readonly (string | undefined)[],
): Promise<Place[]> {
  const fingerprint = given !== undefined && isFingerprint(given) ? given : undefined;
  const places = fingerprint === undefined ? placesOfTrail(flow, trail) : await placesOfArtifact(fingerprint);
  const moments = await readMomentsOfTrails(table, org.id, places);
  const isOfType = ({ content }: Moment) => types.some((type) => type === undefined || content.show?.['type'] === type);
  return moments
    .flatMap((all) => (fingerprint === undefined ? all : momentsBoundTo(all, fingerprint)))
    .filter((moment) => hasAttestation(moment.content.changes) && isOfType(moment))
    .filter(({ at }) => isInWindow(at, window))
    .sort((a, b) => b.at - a.at)
    .flatMap(placeOf);

  async function placesOfArtifact(digest: Fingerprint) {
    const facet: Facet = flow === undefined ? {} : { f: flow };
    const found = await listingEntries(table, org.id, EVIDENCE_FACETS, trailsOf(digest), facet, clock.now());
    return found
      .map(({ f, t }) => ({ flow: storedId<FlowId>(String(f)), trail: storedName<TrailName>(String(t)) }))
      .filter((place) => trail === undefined || place.trail === trail);
  }
}

const placesOfTrail = (flow: FlowId | undefined, trail: TrailName | undefined) =>
  flow === undefined || trail === undefined ? [] : [{ flow, trail }];

/** The attestation of a moment, and its flow. */
const placeOf = (moment: Moment): Place[] => broughtBy(moment).map((one) => ({ ...one, flow: moment.flow }));
