import * as z from 'zod';
import { AnyFlowName } from '#shared/base/names.ts';
import { toSeconds } from '#shared/base/time.ts';
import { erasedOut } from '#shared/bodies/erasure.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { fieldsFrom } from '#shared/evidence/rules/trail-report.ts';
import { TrailSummaryOut, trailUrl } from '#shared/evidence/trail-output.ts';
import {
  listTrails as list,
  listFoundTrails,
  type ShownTrail,
  type TrailFilters,
} from '#shared/evidence/trails/list-trails.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { dataPage, dataPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { windowOf } from '#shared/http/query-fields.ts';
import type { Request } from '#shared/http/request.ts';
import { entryBefore, scannedAnswer, scannedPageSchema } from '#shared/http/scanned-pages.ts';
import { isScanned, type TrailQuery, trailChecks, trailFilters } from './trail-filters.ts';
import { slotsShape, trailSlots } from './trail-slots.ts';

const ListedTrailOut = TrailSummaryOut.extend(z.object(slotsShape).partial().shape).meta({ id: 'TrailSummary' });

/** A numbered page; with a filter by name or state, a page by cursor (rules/trails.md#trails-by-state-and-name). */
const TrailsPage = z.union([
  dataPageSchema(ListedTrailOut),
  scannedPageSchema(ListedTrailOut).meta({ id: 'FoundTrails' }),
]);

type Asked = Pick<Request, 'org' | 'host' | 'path' | 'rawQuery'>;

/**
 * Answers one page of the trails that match all filters (rules/trails.md#list-trails).
 *
 * @throws ServiceError `not-found` for an unknown flow, `invalid` if the filters match too many series
 */
async function trailsPage(stores: Stores, request: Asked, filters: TrailFilters, query: TrailQuery) {
  const { org } = request;
  const { page, per_page: perPage, name, compliance_state: words } = query;
  const { flow, fingerprint, flow_tag } = filters;
  const order = { window: windowOf(query), oldestFirst: query.sort_direction === 'asc' };
  const withStatus = query.include.includes('slots');
  if (isScanned(query)) {
    const bounds = [query.start_ts, query.end_ts, query.sort_direction];
    const list = [org.id, 'trails', JSON.stringify([flow, fingerprint, flow_tag, name, words, bounds])];
    const part = { ...order, after: entryBefore(list, query), perPage, withStatus };
    const found = await listFoundTrails(stores, org, { flow, fingerprint, flow_tag, name, words }, part);
    const data = found.trails.map((trail) => summaryOut(trail, request));
    return scannedAnswer(request, list, data, found.next);
  }
  const { window, oldestFirst } = order;
  const part = { page: { page, perPage, oldestFirst }, window, withStatus };
  const { total, trails } = await list(stores, org, { flow, fingerprint, flow_tag }, part);
  const shown = { page, perPage, total, items: trails.map((trail) => summaryOut(trail, request)) };
  return pageAnswer(request, shown, dataPage(shown));
}

function summaryOut(
  { head, fields: text, erased, flow, word, status }: ShownTrail,
  { org, host }: Asked,
): z.input<typeof ListedTrailOut> {
  const fields = fieldsFrom(text);
  return {
    name: head.name,
    flow_name: flow,
    description: fields.description ?? '',
    compliance_state: word,
    is_compliant: word === 'COMPLIANT',
    created_at: toSeconds(head.created),
    last_modified_at: toSeconds(head.at),
    created_by: head.by,
    html_url: trailUrl(host, org.name, flow, head.name),
    git_commit_info: fields.git_commit_info,
    ...(status && trailSlots(status)),
    ...erasedOut(erased),
  };
}

/** GET /trails/{org}: trails that match all filters, newest first (rules/trails.md#list-trails). */
export const listTrails = endpoint({
  operation: 'listTrails',
  method: 'GET',
  path: '/trails/{org}',
  summary: 'List trails',
  access: 'reader',
  query: z.object({ ...trailFilters, flow: AnyFlowName.optional() }),
  success: { 200: TrailsPage },
  errors: [unknownFlow],
  uses: READ_BODIES,
  checks: trailChecks,
  handler: (request, stores: Stores) => trailsPage(stores, request, request.query, request.query),
});

/** GET /trails/{org}/{flow}: the trails of one flow, newest first (rules/trails.md#list-trails). */
export const listFlowTrails = endpoint({
  operation: 'listFlowTrails',
  method: 'GET',
  path: '/trails/{org}/{flow}',
  summary: 'List the trails of a flow',
  access: 'reader',
  query: z.object(trailFilters),
  success: { 200: TrailsPage },
  errors: [unknownFlow],
  uses: READ_BODIES,
  checks: trailChecks,
  handler: (request, stores: Stores) => {
    const { params, query } = request;
    const { fingerprint, flow_tag } = query;
    return trailsPage(stores, request, { flow: params.flow, fingerprint, flow_tag }, query);
  },
});
