import * as z from 'zod';
import type { FlowId, Id, OrganizationId } from '#shared/base/ids.ts';
import { parseJson } from '#shared/base/json-text.ts';
import type { FlowName } from '#shared/base/names.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { listingPage } from '#shared/series/listings.ts';
import { type ArtifactRecord, readArtifacts } from '../records/artifact-records.ts';
import { readBesideFlow } from '../records/trails.ts';
import { ARTIFACTS, EVIDENCE_FACETS } from '../rules/series-kinds.ts';

/**
 * Newest reports of the flow that are searched. Clients list the changes since the commit; an older one is of no use.
 */
const SEARCHED_REPORTS = 100;
/** Reports that are read first. The others are read only if none of these is the right one. */
const FIRST_REPORTS = 2;
const Branch = z.object({ git_commit_info: z.object({ branch: z.string() }).nullish() });

/**
 * Finds the commit of the flow's newest report of another fingerprint (rules/lookups.md#latest-commit).
 *
 * @param branch only reports of commits on this branch
 * @returns null if there is no such report, and also for an unknown flow or fingerprint
 */
export async function getLatestCommit(
  stores: Stores,
  org: OrganizationId,
  { flow, fingerprint, branch }: { flow: FlowName; fingerprint: string; branch?: string | undefined },
): Promise<string | null> {
  const { beside: entries } = await readBesideFlow(stores.table, org, flow, (id) => newestReports(stores, org, id));
  const found = await findReport(stores, org, entries ?? [], async (record) => {
    if (record.fingerprint === fingerprint) return false;
    return branch === undefined || (await branchOf(stores, org, record)) === branch;
  });
  return found?.commit ?? null;
}

/** Ids of the newest reports of a flow, newest first. */
async function newestReports({ table, clock }: Pick<Stores, 'table' | 'clock'>, org: OrganizationId, flow: FlowId) {
  const page = { page: 1, perPage: SEARCHED_REPORTS };
  const { entries } = await listingPage(table, org, EVIDENCE_FACETS, ARTIFACTS, { f: flow }, page, clock.now());
  return entries.map(({ r }) => String(r));
}

/** Finds the first wanted report. Reads a few reports first, because the newest ones are mostly enough. */
async function findReport(
  { table }: Pick<Stores, 'table'>,
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

async function branchOf({ objects }: Pick<Stores, 'objects'>, org: OrganizationId, record: ArtifactRecord) {
  const text = await readBody(objects, org, record.facts);
  return text === null ? undefined : Branch.parse(parseJson(text)).git_commit_info?.branch;
}
