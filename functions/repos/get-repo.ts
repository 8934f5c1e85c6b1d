import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { getRepo as get } from '#shared/evidence/repos/read-repos.ts';
import { severalRepos, unknownRepo } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { RepoOut, repoOut } from './repo-output.ts';

/** GET /repos/{org}/{name}: a repository by its present name or by its inner id (rules/lookups.md#get-a-repository). */
export const getRepo = endpoint({
  operation: 'getRepo',
  method: 'GET',
  path: '/repos/{org}/{name+}',
  summary: 'Get a repository',
  description:
    'The name may contain slashes. If several repositories have the name, `provider` selects one. With `id` the name is ignored.',
  access: 'reader',
  query: z.object({
    provider: z.string().optional(),
    id: z.string().optional().meta({ description: 'Internal id' }),
  }),
  success: { 200: RepoOut },
  errors: [unknownRepo, severalRepos],
  handler: async ({ params: { name }, query, org }, stores: Pick<Stores, 'table'>) => ({
    status: 200,
    body: repoOut(await get(stores, org, { name, ...query })),
  }),
});
