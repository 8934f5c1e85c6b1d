import type * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { erasedOut } from '#shared/bodies/erasure.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { readTrailSummaries, type TrailSummary } from '#shared/evidence/records/trails.ts';
import { selectTrails, type TrailFilters } from '#shared/evidence/select-trails.ts';
import { fieldsFrom, type TrailSummaryOut, trailUrl } from '#shared/evidence/trail-output.ts';
import type { Request } from '#shared/http/endpoint.ts';
import { dataPage, pageAnswer } from '#shared/http/paging.ts';
import type { Services } from '#shared/http/services.ts';

interface Page {
  page: number;
  per_page: number;
}

/**
 * Reads one page of the trails that match all filters, newest first (rules/trails.md#list-trails).
 * @returns the answer with the page
 * @throws ApiError 404 for an unknown flow, 400 if the filters match too many series
 */
export async function trailsPage(
  services: Services,
  request: Pick<Request, 'org' | 'host' | 'path' | 'rawQuery'>,
  filters: TrailFilters,
  { page, per_page: perPage }: Page,
) {
  const { table, objects } = services;
  const { org, host } = request;
  const { total, places } = await selectTrails(services, org, filters, { page, perPage });
  const [summaries, names] = await Promise.all([
    readTrailSummaries(table, objects, org.id, places),
    readFlowNames(table, org.id, [...new Set(places.map(({ flow }) => flow))]),
  ]);
  const items = summaries.map((summary) => summaryOut(summary, names.get(summary.flow) ?? '', org.name, host));
  const shown = { page, perPage, total, items };
  return pageAnswer(request, shown, dataPage(shown));
}

function summaryOut(
  { head, fields: text, erased }: TrailSummary,
  flow: string,
  org: string,
  host: string,
): z.input<typeof TrailSummaryOut> {
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
    ...erasedOut(erased),
  };
}
