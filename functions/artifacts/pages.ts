import { type FlowId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type Runs, readRunsBeside } from '#shared/environments/records/running.ts';
import { type ArtifactRecord, artifactsIn } from '#shared/evidence/records/artifact-records.ts';
import { type FlowHead, flowHeadsIn } from '#shared/evidence/records/flows.ts';
import { artifactKey, flowHeadKey } from '#shared/evidence/records/keys.ts';
import { readFlowWith } from '#shared/evidence/records/trails.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { ARTIFACTS, EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import type { Request } from '#shared/http/endpoint.ts';
import { pageAnswer } from '#shared/http/paging.ts';
import type { Services } from '#shared/http/services.ts';
import type { Facet } from '#shared/series/facets.ts';
import { listingPage } from '#shared/series/listings.ts';
import type { Table } from '#shared/table/table.ts';
import { artifactsOut } from './artifact-output.ts';

interface Page {
  page: number;
  per_page: number;
}

/** Keys that one call reads. */
const KEYS_OF_A_CALL = 100;

/** A page of reports, and the flows that are read with the same call. */
interface ReportsPage {
  /** The number of all reports. */
  total: number;
  records: ArtifactRecord[];
  /** Flows of the reports, by id. */
  flows: Map<FlowId, FlowHead>;
  /** Flows that do not fit into the call. They are read with the environments in which the artifacts run. */
  otherFlows: FlowId[];
}

/**
 * Reads one page of the reports of artifacts in an organization, newest first.
 * @param facet the flow or the repository of the reports; empty for all reports
 * @param more flows that are read even if the page has no report of them
 */
export async function artifactPage(
  { table, clock }: Services,
  org: Organization,
  facet: Facet,
  { page, per_page: perPage }: Page,
  more: readonly FlowId[] = [],
): Promise<ReportsPage> {
  const { total, entries } = await listingPage(
    table,
    org.id,
    EVIDENCE_FACETS,
    ARTIFACTS,
    facet,
    { page, perPage },
    clock.now(),
  );
  const reports = entries.map(({ r }) => String(r));
  const flows = [...new Set([...more, ...entries.map(({ f }) => storedId<FlowId>(String(f)))])];
  const fits = reports.length + flows.length <= KEYS_OF_A_CALL;
  const [now, otherFlows] = fits ? [flows, []] : [[], flows];
  const found = await table.getMany([
    ...reports.map((id) => artifactKey(org.id, id)),
    ...now.map((id) => flowHeadKey(org.id, id)),
  ]);
  const records = artifactsIn(org.id, reports, found);
  return { total, records, flows: flowHeadsIn(org.id, now, found), otherFlows };
}

/** Reads where the artifacts of a page run, and with the environments the flows that are still missing in the page. */
export async function readRunsOfPage(
  table: Table,
  org: OrganizationId,
  { records, flows, otherFlows }: ReportsPage,
): Promise<Runs> {
  const fingerprints = records.map(({ fingerprint }) => fingerprint);
  const flowKeys = otherFlows.map((id) => flowHeadKey(org, id));
  const { runs, beside } = await readRunsBeside(table, org, fingerprints, () => flowKeys);
  for (const [id, head] of flowHeadsIn(org, otherFlows, beside)) flows.set(id, head);
  return runs;
}

/**
 * Reads one page of the reports of artifacts in a flow, newest first (rules/artifacts.md#lists-of-artifacts).
 * @returns the answer with the artifacts
 * @throws ServiceError 404 for an unknown flow
 */
export async function flowPage(
  services: Services,
  request: Pick<Request, 'org' | 'host' | 'path' | 'rawQuery'>,
  name: string,
  page: Page,
) {
  const { org, host } = request;
  // The head of the flow is read with the reports of the page, or with the environments in which they run.
  const { flow, beside } = await readFlowWith(services.table, org.id, name, async (id) => {
    const reports = await artifactPage(services, org, { f: id }, page, [id]);
    const runs = readRunsOfPage(services.table, org.id, reports);
    const flowName = () => reports.flows.get(id)?.name ?? '';
    const reader = { host, orgName: org.name, orgId: org.id, flowName };
    const artifacts = await artifactsOut(services, reports.records, reader, { runs });
    return [reports.flows.get(id) ?? null, { total: reports.total, artifacts }];
  });
  if (!flow) throw unknownFlow({ flow: name, org: org.name });
  const shown = { page: page.page, perPage: page.per_page, total: beside.total };
  return pageAnswer(request, shown, beside.artifacts);
}
