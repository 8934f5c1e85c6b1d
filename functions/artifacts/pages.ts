import { type FlowId, storedId } from '#shared/base/ids.ts';
import { ARTIFACTS, type ArtifactRecord, readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { readBesideFlow } from '#shared/evidence/records/trails.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import type { Organization, Request } from '#shared/http/endpoint.ts';
import { pageAnswer } from '#shared/http/paging.ts';
import type { Services } from '#shared/http/services.ts';
import type { Facet } from '#shared/series/facets.ts';
import { listingPage } from '#shared/series/listings.ts';
import { artifactsOut } from './artifact-output.ts';

interface Page {
  page: number;
  per_page: number;
}

/**
 * Reads one page of the reports of artifacts in an organization, newest first.
 * @param facet the flow or the repository of the reports; empty for all reports
 * @returns the number of all reports, the records, and the present names of their flows
 */
export async function artifactPage(
  { table, clock }: Services,
  org: Organization,
  facet: Facet,
  { page, per_page: perPage }: Page,
): Promise<{ total: number; records: ArtifactRecord[]; names: Map<FlowId, string> }> {
  const { total, entries } = await listingPage(table, org.id, ARTIFACTS, facet, { page, perPage }, clock.now());
  const [records, names] = await Promise.all([
    readArtifacts(
      table,
      org.id,
      entries.map(({ r }) => String(r)),
    ),
    readFlowNames(
      table,
      org.id,
      entries.map(({ f }) => storedId<FlowId>(String(f))),
    ),
  ]);
  return { total, records, names };
}

/**
 * Reads one page of the reports of artifacts in a flow, newest first (rules/artifacts.md#lists-of-artifacts).
 * @returns the answer with the artifacts
 * @throws ApiError 404 for an unknown flow
 */
export async function flowPage(
  services: Services,
  request: Pick<Request, 'org' | 'host' | 'path' | 'rawQuery'>,
  name: string,
  page: Page,
) {
  const { org, host } = request;
  const { flow, beside } = await readBesideFlow(services.table, org.id, name, (id) =>
    artifactPage(services, org, { f: id }, page),
  );
  if (!flow) throw unknownFlow({ flow: name, org: org.name });
  const reader = { host, orgName: org.name, orgId: org.id, flowName: () => flow.name };
  const shown = { page: page.page, perPage: page.per_page, total: beside.total };
  return pageAnswer(request, shown, await artifactsOut(services, beside.records, reader));
}
