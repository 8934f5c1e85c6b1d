import * as z from 'zod';
import type { FlowId } from '#shared/base/ids.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { findRepoByName } from '#shared/evidence/records/repos.ts';
import { unknownFlow, unknownRepo } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { pageAnswer } from '#shared/http/paging.ts';
import { pageFields } from '#shared/http/query-fields.ts';
import { ArtifactOut, artifactsOut } from './artifact-output.ts';
import { artifactPage, flowPage, readRunsOfPage } from './pages.ts';

/** GET /artifacts/{org}: reports of artifacts, newest first (rules/artifacts.md#lists-of-artifacts). */
export const listArtifacts = endpoint({
  operation: 'listArtifacts',
  method: 'GET',
  path: '/artifacts/{org}',
  summary: 'List artifacts',
  access: 'reader',
  params: z.object({ org: z.string() }),
  query: z.object({
    ...pageFields({ perPage: 15 }),
    flow_name: z.string().optional(),
    repo_name: z.string().optional(),
  }),
  body: { kind: 'none' },
  success: { 200: z.array(ArtifactOut) },
  errors: [unknownFlow, unknownRepo],
  uses: READ_BODIES,
  handler: async (request, services) => {
    const { query, org, host } = request;
    const { flow_name: flowName, repo_name: repoName } = query;
    // If both filters are given, the flow wins.
    if (flowName !== undefined) return flowPage(services, request, flowName, query);
    const repo = repoName === undefined ? undefined : await findRepoByName(services.table, org.id, repoName);
    if (repo === null) throw unknownRepo({ repo: repoName ?? '' });
    const reports = await artifactPage(services, org, repo ? { p: repo } : {}, query);
    const runs = readRunsOfPage(services.table, org.id, reports);
    const nameOf = (flow: FlowId) => reports.flows.get(flow)?.name ?? '';
    const reader = { host, orgName: org.name, orgId: org.id, flowName: nameOf };
    const shown = { page: query.page, perPage: query.per_page, total: reports.total };
    return pageAnswer(request, shown, await artifactsOut(services, reports.records, reader, { runs }));
  },
});
