import { type FlowId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import {
  type ArtifactRecord,
  artifactsIn,
  findByCommit,
  readArtifacts,
} from '#shared/evidence/records/artifact-records.ts';
import { type FlowHead, findFlow, flowHeadsIn } from '#shared/evidence/records/flows.ts';
import { artifactKey, flowHeadKey } from '#shared/evidence/records/keys.ts';
import { findRepoByName } from '#shared/evidence/records/repos.ts';
import { readFlowWith } from '#shared/evidence/records/trails.ts';
import { unknownFlow, unknownRepo } from '#shared/evidence/rules/sentences.ts';
import { ARTIFACTS, EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { isShaPrefix } from '#shared/evidence/sha-prefix.ts';
import type { Facet } from '#shared/series/facets.ts';
import { listingPage } from '#shared/series/listings.ts';
import type { Table } from '#shared/table/table.ts';
import { readRunsBeside } from '../records/running.ts';
import { readShownArtifacts, type ShownArtifact } from './shown-artifacts.ts';

interface Page {
  page: number;
  perPage: number;
}

/** Artifacts of a page, and how many reports are listed in all. */
export interface ArtifactsPage {
  total: number;
  artifacts: ShownArtifact[];
}

/**
 * Lists the reports of artifacts in an organization, or those of one repository, newest first
 * (rules/artifacts.md#lists-of-artifacts).
 *
 * @param repoName all repositories without a name
 * @throws ServiceError `not-found` for an unknown repository
 */
export async function listArtifacts(stores: Stores, org: Organization, repoName: string | undefined, page: Page) {
  const repo = repoName === undefined ? undefined : await findRepoByName(stores.table, org.id, repoName);
  if (repo === null) throw unknownRepo({ repo: repoName ?? '' });
  const reports = await artifactPage(stores, org, repo ? { p: repo } : {}, page);
  const runs = readRunsOfPage(stores.table, org.id, reports);
  const nameOf = (flow: FlowId) => reports.flows.get(flow)?.name ?? '';
  const artifacts = await readShownArtifacts(stores, org.id, reports.records, nameOf, { runs });
  return { total: reports.total, artifacts };
}

/**
 * Lists the reports of artifacts in a flow, newest first (rules/artifacts.md#lists-of-artifacts).
 *
 * @throws ServiceError `not-found` for an unknown flow
 */
export async function listFlowArtifacts(stores: Stores, org: Organization, name: FlowName, page: Page) {
  // The head of the flow is read with the reports of the page, or with the environments in which they run.
  const { flow, beside } = await readFlowWith(stores.table, org.id, name, async (id) => {
    const reports = await artifactPage(stores, org, { f: id }, page, [id]);
    const runs = readRunsOfPage(stores.table, org.id, reports);
    const flowName = () => reports.flows.get(id)?.name ?? '';
    const artifacts = await readShownArtifacts(stores, org.id, reports.records, flowName, { runs });
    return [reports.flows.get(id) ?? null, { total: reports.total, artifacts }];
  });
  if (!flow) throw unknownFlow({ flow: name, org: org.name });
  return beside;
}

/** Keys that one call reads. */
const KEYS_OF_A_CALL = 100;

/** A page of reports, and the flows that are read with the same call. */
interface ReportsPage {
  total: number;
  records: ArtifactRecord[];
  flows: Map<FlowId, FlowHead>;
  /** Flows that do not fit into the call. They are read with the environments in which the artifacts run. */
  otherFlows: FlowId[];
}

/**
 * Reads one page of the reports of artifacts in an organization, newest first.
 * @param facet the flow or the repository of the reports; empty for all reports
 * @param more flows that are read even if the page has no report of them
 */
async function artifactPage(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  facet: Facet,
  page: Page,
  more: readonly FlowId[] = [],
): Promise<ReportsPage> {
  const { total, entries } = await listingPage(table, org.id, EVIDENCE_FACETS, ARTIFACTS, facet, page, clock.now());
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
async function readRunsOfPage(table: Table, org: OrganizationId, { records, flows, otherFlows }: ReportsPage) {
  const fingerprints = records.map(({ fingerprint }) => fingerprint);
  const flowKeys = otherFlows.map((id) => flowHeadKey(org, id));
  const { runs, beside } = await readRunsBeside(table, org, fingerprints, () => flowKeys);
  for (const [id, head] of flowHeadsIn(org, otherFlows, beside)) flows.set(id, head);
  return runs;
}

/**
 * Reads the artifacts of a commit in a flow, each by its latest report, newest first
 * (rules/artifacts.md#artifacts-of-a-commit).
 *
 * @param sha a commit or the beginning of one
 * @throws ServiceError `not-found` for an unknown flow
 */
export async function readArtifactsOfCommit(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  { flow: name, sha, trail }: { flow: FlowName; sha: string; trail?: TrailName | undefined },
): Promise<ShownArtifact[]> {
  const { table } = stores;
  const [flow, entries] = await Promise.all([
    findFlow(table, org.id, name),
    isShaPrefix(sha) ? findByCommit(table, org.id, sha) : [],
  ]);
  if (!flow) throw unknownFlow({ flow: name, org: org.name });
  // The entries of a commit are sorted by time, so the last entry of a fingerprint is its latest report.
  const latest = new Map(
    entries
      .filter((entry) => entry.flow === flow.id && (trail === undefined || entry.trail === trail))
      .map(({ fingerprint, artifact }) => [fingerprint, artifact]),
  );
  const records = await readArtifacts(table, org.id, [...latest.values()]);
  records.sort((a, b) => b.at - a.at);
  return readShownArtifacts(stores, org.id, records, () => flow.name);
}
