import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { parseJson } from '#shared/http/json-text.ts';
import type { Services } from '#shared/services.ts';
import type { ArtifactRecord } from '#shared/store/artifact-records.ts';
import { readBody } from '#shared/store/bodies.ts';
import { findFlow } from '#shared/store/flows.ts';
import { artifactPage } from './pages.ts';

/** How far back a branch is looked for: beyond that its latest commit helps nobody to list what changed since. */
const LOOKED_AT = 100;
const Branch = z.object({ git_commit_info: z.object({ branch: z.string() }).nullish() });

/**
 * GET /artifacts/{org}/{flow}/{fingerprint}/latest_commit: the commit of the flow's newest artifact other than this one,
 * on a branch if one is named; null where there is none, also for a flow or fingerprint never seen (wire flows A5, U30).
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
  handler: async ({ params, query, org }, services) => {
    const flow = await findFlow(services.table, org.id, params.flow);
    const records = flow ? await artifactPage(services, org, { f: flow.id }, { page: 1, per_page: LOOKED_AT }) : [];
    for (const record of records) {
      if (record.fingerprint === params.fingerprint) continue;
      if (query.branch === undefined || (await branchOf(services, org.id, record)) === query.branch) {
        return { status: 200, body: { latest_commit: record.commit } };
      }
    }
    return { status: 200, body: { latest_commit: null } };
  },
});

async function branchOf({ objects }: Services, org: string, record: ArtifactRecord): Promise<string | undefined> {
  const text = await readBody(objects, org, record.facts);
  return text === null ? undefined : Branch.parse(parseJson(text)).git_commit_info?.branch;
}
