import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { getLatestCommit as get } from '#shared/evidence/artifacts/get-latest-commit.ts';
import { endpoint } from '#shared/http/endpoint.ts';

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
  query: z.object({ branch: z.string().optional() }),
  success: {
    200: z.object({
      latest_commit: z
        .string()
        .nullable()
        .describe('SHA-1 of the commit before this one that was reported last; null if there is none'),
    }),
  },
  uses: READ_BODIES,
  handler: async ({ params, query, org }, stores: Stores) => ({
    status: 200,
    body: { latest_commit: await get(stores, org.id, { ...params, branch: query.branch }) },
  }),
});
