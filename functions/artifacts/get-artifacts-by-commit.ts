import * as z from 'zod';
import { AnyTrailName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { readArtifactsOfCommit } from '#shared/environments/artifacts/list-artifacts.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ArtifactOut, artifactOut } from './artifact-output.ts';

/**
 * GET /artifacts/{org}/{flow}/commit_sha/{sha}: the flow's artifacts of a commit, newest first
 * (rules/artifacts.md#artifacts-of-a-commit).
 */
export const getArtifactsByCommit = endpoint({
  operation: 'getArtifactsByCommit',
  method: 'GET',
  path: '/artifacts/{org}/{flow}/commit_sha/{sha}',
  summary: 'Get the artifacts of a commit',
  description: 'A prefix of at least 5 characters is enough. Each artifact is shown once, by its latest report.',
  access: 'reader',
  query: z.object({ trail: AnyTrailName.optional() }),
  success: { 200: z.array(ArtifactOut) },
  errors: [unknownFlow],
  uses: READ_BODIES,
  handler: async ({ params, query, org, host }, stores: Pick<Stores, 'table' | 'objects'>) => {
    const found = await readArtifactsOfCommit(stores, org, { ...params, trail: query.trail });
    return { status: 200, body: found.map((one) => artifactOut(one, { org, host })) };
  },
});
