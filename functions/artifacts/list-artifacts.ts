import * as z from 'zod';
import { AnyFlowName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { listArtifacts as list, listFlowArtifacts } from '#shared/environments/artifacts/list-artifacts.ts';
import { unknownFlow, unknownRepo } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { pageFields } from '#shared/http/query-fields.ts';
import { ArtifactOut, artifactsAnswer } from './artifact-output.ts';

/** GET /artifacts/{org}: reports of artifacts, newest first (rules/artifacts.md#lists-of-artifacts). */
export const listArtifacts = endpoint({
  operation: 'listArtifacts',
  method: 'GET',
  path: '/artifacts/{org}',
  summary: 'List artifacts',
  access: 'reader',
  query: z.object({
    ...pageFields({ perPage: 15 }),
    flow_name: AnyFlowName.optional(),
    repo_name: z.string().optional(),
  }),
  success: { 200: z.array(ArtifactOut) },
  errors: [unknownFlow, unknownRepo],
  uses: READ_BODIES,
  handler: async (request, stores: Stores) => {
    const { query, org } = request;
    const { flow_name: flow, repo_name: repo, page, per_page: perPage } = query;
    // If both filters are given, the flow wins.
    const found =
      flow === undefined
        ? await list(stores, org, repo, { page, perPage })
        : await listFlowArtifacts(stores, org, flow, { page, perPage });
    return artifactsAnswer(request, query, found);
  },
});
