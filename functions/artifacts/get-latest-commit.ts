import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { parseJson } from '#shared/base/json-text.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import type { ArtifactRecord } from '#shared/evidence/records/artifact-records.ts';
import { readBesideFlow } from '#shared/evidence/records/trails.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { artifactPage } from './pages.ts';

/**
 * Newest reports of the flow that are searched. Clients list the changes since the commit; an older one is of no use.
 */
const SEARCHED_REPORTS = 100;
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
    const { beside } = await readBesideFlow(services.table, org.id, params.flow, (id) =>
      artifactPage(services, org, { f: id }, { page: 1, per_page: SEARCHED_REPORTS }),
    );
    const others = (beside?.records ?? []).filter(({ fingerprint }) => fingerprint !== params.fingerprint);
    const { branch } = query;
    const branches =
      branch === undefined ? [] : await Promise.all(others.map((record) => branchOf(services, org.id, record)));
    const latest = branch === undefined ? others[0] : others[branches.indexOf(branch)];
    return { status: 200, body: { latest_commit: latest?.commit ?? null } };
  },
});

async function branchOf(
  { objects }: Services,
  org: OrganizationId,
  record: ArtifactRecord,
): Promise<string | undefined> {
  const text = await readBody(objects, org, record.facts);
  return text === null ? undefined : Branch.parse(parseJson(text)).git_commit_info?.branch;
}
