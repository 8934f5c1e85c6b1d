import { type FlowId, storedId } from '#shared/base/ids.ts';
import { ARTIFACTS, type ArtifactRecord, readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { readBesideFlow } from '#shared/evidence/records/trails.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import type { Organization } from '#shared/http/endpoint.ts';
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
 * @returns the records, and the present names of their flows
 */
export async function artifactPage(
  { table, clock }: Services,
  org: Organization,
  facet: Facet,
  { page, per_page: perPage }: Page,
): Promise<{ records: ArtifactRecord[]; names: Map<FlowId, string> }> {
  const { entries } = await listingPage(table, org.id, ARTIFACTS, facet, { page, perPage }, clock.now());
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
  return { records, names };
}

/**
 * Reads one page of the reports of artifacts in a flow, newest first (rules/artifacts.md#lists-of-artifacts).
 * @returns the artifacts as clients read them
 * @throws ApiError 404 for an unknown flow
 */
export async function flowPage(
  services: Services,
  { org, host }: { org: Organization; host: string },
  name: string,
  page: Page,
) {
  const { flow, beside } = await readBesideFlow(services.table, org.id, name, (id) =>
    artifactPage(services, org, { f: id }, page),
  );
  if (!flow) throw unknownFlow({ flow: name, org: org.name });
  return artifactsOut(services, beside.records, { host, orgName: org.name, orgId: org.id, flowName: () => flow.name });
}
