import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { listFlowArtifacts as list } from '#shared/environments/artifacts/list-artifacts.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { pageFields } from '#shared/http/query-fields.ts';
import { ArtifactOut, artifactsAnswer } from './artifact-output.ts';

/** GET /artifacts/{org}/{flow}: reports of artifacts of one flow, newest first (rules/artifacts.md#lists-of-artifacts). */
export const listFlowArtifacts = endpoint({
  operation: 'listFlowArtifacts',
  method: 'GET',
  path: '/artifacts/{org}/{flow}',
  summary: 'List the artifacts of a flow',
  access: 'reader',
  query: z.object(pageFields({ perPage: 15 })),
  success: { 200: z.array(ArtifactOut) },
  errors: [unknownFlow],
  uses: READ_BODIES,
  handler: async (request, stores: Stores) => {
    const { params, query, org } = request;
    const found = await list(stores, org, params.flow, { page: query.page, perPage: query.per_page });
    return artifactsAnswer(request, query, found);
  },
});
