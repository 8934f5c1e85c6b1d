import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { erasedOut } from '#shared/bodies/erasure.ts';
import { findTrails } from '#shared/evidence/find-trails.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { readTrailSummaries, type TrailSummary } from '#shared/evidence/records/trails.ts';
import { fieldsFrom } from '#shared/evidence/rules/trail-report.ts';
import { type ListedTrail, selectTrails, type TrailFilters } from '#shared/evidence/select-trails.ts';
import { TrailSummaryOut, trailUrl } from '#shared/evidence/trail-output.ts';
import { readTrailSlots, slotsShape, type TrailSlots } from '#shared/evidence/trail-slots.ts';
import type { Request } from '#shared/http/endpoint.ts';
import { dataPage, dataPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { windowOf } from '#shared/http/query-fields.ts';
import { entryBefore, scannedAnswer, scannedPageSchema } from '#shared/http/scanned-pages.ts';
import type { Services } from '#shared/http/services.ts';
import type { Window } from '#shared/series/series.ts';
import { isScanned, type TrailQuery } from './trail-filters.ts';

const ListedTrailOut = TrailSummaryOut.extend(z.object(slotsShape).partial().shape).meta({ id: 'TrailSummary' });

/** A numbered page; with a filter by name or state, a page by cursor (rules/trails.md#trails-by-state-and-name). */
export const TrailsPage = z.union([
  dataPageSchema(ListedTrailOut),
  scannedPageSchema(ListedTrailOut).meta({ id: 'FoundTrails' }),
]);

type Asked = Pick<Request, 'org' | 'host' | 'path' | 'rawQuery'>;

/**
 * Reads one page of the trails that match all filters (rules/trails.md#list-trails).
 * @returns the answer with the page
 * @throws ServiceError 404 for an unknown flow, 400 if the filters match too many series
 */
export async function trailsPage(services: Services, request: Asked, filters: TrailFilters, query: TrailQuery) {
  const { table, objects } = services;
  const { page, per_page: perPage } = query;
  const oldestFirst = query.sort_direction === 'asc';
  const window = windowOf(query);
  if (isScanned(query)) {
    return foundPage(services, request, filters, query, { window, oldestFirst });
  }
  const { total, places } = await selectTrails(services, request.org, filters, { page, perPage, oldestFirst }, window);
  const items = await trailsOut(services, request, query, places, () =>
    readTrailSummaries(table, objects, request.org.id, places),
  );
  const shown = { page, perPage, total, items };
  return pageAnswer(request, shown, dataPage(shown));
}

/** Reads a page of a list that nobody can count. */
async function foundPage(
  services: Services,
  request: Asked,
  filters: TrailFilters,
  query: TrailQuery,
  order: { window: Window | undefined; oldestFirst: boolean },
) {
  const { name, compliance_state: words } = query;
  const { flow, fingerprint, flow_tag: tag } = filters;
  const bounds = [query.start_ts, query.end_ts, query.sort_direction];
  const list = [request.org.id, 'trails', JSON.stringify([flow, fingerprint, tag, name, words, bounds])];
  const part = { ...order, after: entryBefore(list, query), perPage: query.per_page };
  const found = await findTrails(services, request.org, filters, { name, words }, part);
  const places = found.summaries.map(({ place }) => place);
  const data = await trailsOut(services, request, query, places, async () => found.summaries);
  return scannedAnswer(request, list, data, found.next);
}

/** Reads what the trails of a page show: names of flows, the trails' own fields, and the slots if they are wanted. */
async function trailsOut(
  services: Services,
  { org, host }: Asked,
  { include }: TrailQuery,
  places: readonly ListedTrail[],
  readSummaries: () => Promise<TrailSummary<ListedTrail>[]>,
): Promise<z.input<typeof ListedTrailOut>[]> {
  const [summaries, names, states] = await Promise.all([
    readSummaries(),
    readFlowNames(services.table, org.id, [...new Set(places.map(({ flow }) => flow))]),
    include.includes('slots') ? readTrailSlots(services, org.id, places) : [],
  ]);
  const stateOf = new Map(places.map(({ entry }, i) => [entry, states[i]]));
  return summaries.map((summary) => {
    const { place, head } = summary;
    const state = stateOf.get(place.entry);
    // A state is read together with its head, so that the word fits the slots.
    const shown = { ...summary, head: state?.head ?? head };
    return summaryOut(shown, names.get(place.flow) ?? '', org.name, host, state?.slots);
  });
}

function summaryOut(
  { head, fields: text, erased }: TrailSummary<ListedTrail>,
  flow: string,
  org: string,
  host: string,
  slots: TrailSlots | undefined,
): z.input<typeof ListedTrailOut> {
  const fields = fieldsFrom(text);
  return {
    name: head.name,
    flow_name: flow,
    description: fields.description ?? '',
    compliance_state: head.word,
    is_compliant: head.word === 'COMPLIANT',
    created_at: toSeconds(head.created),
    last_modified_at: toSeconds(head.at),
    created_by: head.by,
    html_url: trailUrl(host, org, flow, head.name),
    git_commit_info: fields.git_commit_info && { ...fields.git_commit_info },
    ...slots,
    ...erasedOut(erased),
  };
}
