import type { Organization } from '#shared/http/endpoint.ts';
import { unknownFlow } from '#shared/http/sentences.ts';
import type { Services } from '#shared/services.ts';
import { ARTIFACTS, type ArtifactRecord, readArtifacts } from '#shared/store/artifact-records.ts';
import type { Facet } from '#shared/store/facets.ts';
import { findFlow } from '#shared/store/flows.ts';
import { listingPage } from '#shared/store/listings.ts';
import { artifactsOut } from './artifact-output.ts';

interface Page {
  page: number;
  per_page: number;
}

/** The records of one page of the organization's artifacts, narrowed by flow or repository. */
export async function artifactPage(
  { table, clock }: Services,
  org: Organization,
  facet: Facet,
  { page, per_page: perPage }: Page,
): Promise<ArtifactRecord[]> {
  const { entries } = await listingPage(table, org.id, ARTIFACTS, facet, { page, perPage }, clock.now());
  return readArtifacts(
    table,
    org.id,
    entries.map(({ r }) => String(r)),
  );
}

/** One page of a flow's artifacts (wire flows §5 A2 and A6). @throws ApiError 404 for an unknown flow */
export async function flowPage(
  services: Services,
  { org, host }: { org: Organization; host: string },
  name: string,
  page: Page,
) {
  const flow = await findFlow(services.table, org.id, name);
  if (!flow) throw unknownFlow({ flow: name, org: org.name });
  const records = await artifactPage(services, org, { f: flow.id }, page);
  return artifactsOut(services, records, { host, orgName: org.name, orgId: org.id, flowName: () => flow.name });
}
