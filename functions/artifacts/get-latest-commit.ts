import * as z from 'zod';
import type { FlowId, Id, OrganizationId } from '#shared/base/ids.ts';
import { parseJson } from '#shared/base/json-text.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { type ArtifactRecord, readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import { readBesideFlow } from '#shared/evidence/records/trails.ts';
import { ARTIFACTS, EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { listingPage } from '#shared/series/listings.ts';

/**
 * Newest reports of the flow that are searched. Clients list the changes since the commit; an older one is of no use.
 */
const SEARCHED_REPORTS = 100;
/** Reports that are read first. The others are read only if none of these is the right one. */
const FIRST_REPORTS = 2;
const Branch = z.object({ git_commit_info: z.object({ branch: z.string() }).nullish() });

/**
 * GET /artifacts/{org}/{flow}/{fingerprint}/latest_commit: the commit of the flow's newest report of another fingerprint,
 * on the branch if one is given. It is null if there is no such report, and also for an unknown flow or fingerprint
 * (rules/lookups.md#latest-commit).
 */
export const getLatestCommit = endpoint({
  operation: 'getLatestCommit',
  method: 'GET',
  path: '/artifacts/{org}/{flow}/{fingerprint}/latest_commit',
  summary: 'Get the commit of the artifact before this one',
  access: 'reader',
  deprecated: true,
  params: z.object({ org: z.string(), flow: z.string(), fingerprint: z.string() }),
  query: z.object({ branch: z.string().optional() }),
  body: { kind: 'none' },
  success: { 200: z.object({ latest_commit: z.string().nullable() }) },
  errors: [],
  uses: READ_BODIES,
  handler: async ({ params, query, org }, services) => {
    const { beside: entries } = await readBesideFlow(services.table, org.id, params.flow, (id) =>
      newestReports(services, org.id, id),
    );
    const found = await findReport(services, org.id, entries ?? [], async (record) => {
      if (record.fingerprint === params.fingerprint) return false;
      return query.branch === undefined || (await branchOf(services, org.id, record)) === query.branch;
    });
    return { status: 200, body: { latest_commit: found?.commit ?? null } };
  },
});

/** Ids of the newest reports of a flow, newest first. */
async function newestReports({ table, clock }: Services, org: OrganizationId, flow: FlowId): Promise<Id[]> {
  const page = { page: 1, perPage: SEARCHED_REPORTS };
  const { entries } = await listingPage(table, org, EVIDENCE_FACETS, ARTIFACTS, { f: flow }, page, clock.now());
  return entries.map(({ r }) => String(r));
}

/** Finds the first wanted report. Reads a few reports first, because the newest ones are mostly enough. */
async function findReport(
  { table }: Services,
  org: OrganizationId,
  ids: readonly Id[],
  isWanted: (record: ArtifactRecord) => Promise<boolean>,
): Promise<ArtifactRecord | undefined> {
  for (const some of [ids.slice(0, FIRST_REPORTS), ids.slice(FIRST_REPORTS)]) {
    const records = await readArtifacts(table, org, some);
    const wanted = await Promise.all(records.map(isWanted));
    const found = records.find((_, i) => wanted[i]);
    if (found) return found;
  }
  return undefined;
}

async function branchOf(
  { objects }: Services,
  org: OrganizationId,
  record: ArtifactRecord,
): Promise<string | undefined> {
  const text = await readBody(objects, org, record.facts);
  return text === null ? undefined : Branch.parse(parseJson(text)).git_commit_info?.branch;
}
