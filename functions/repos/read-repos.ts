import * as z from 'zod';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { getRepo as get, listRepos as list } from '#shared/evidence/repos/read-repos.ts';
import { severalRepos, unknownRepo } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { listField, pageFields } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { RepoOut, repoOut, unreadableRepo } from './repo-output.ts';

/** Each tag filter reads entries of its own. */
const MOST_TAG_FILTERS = 10;

const Query = z.object({
  ...pageFields({ perPage: 15, max: 50 }),
  name: z.string().optional().meta({ description: 'Only repositories with exactly this name' }),
  search: z
    .string()
    .optional()
    .meta({ description: 'Only repositories whose name contains this text; case does not count' }),
  provider: z.string().optional(),
  repo_id: z.string().optional().meta({ description: 'Id at the provider' }),
  sort_direction: z.enum(['asc', 'desc']).default('asc').meta({ description: 'Direction of the order by name' }),
  tag: listField(z.string())
    .max(MOST_TAG_FILTERS)
    .optional()
    .meta({ description: '`key`, or `key:value`. If it is repeated, a repository must match all of them' }),
});

/** GET /repos/{org}: the repositories that reports named, sorted by name (rules/lookups.md#list-repositories). */
export const listRepos = endpoint({
  operation: 'listRepos',
  method: 'GET',
  path: '/repos/{org}',
  summary: 'List repositories',
  access: 'reader',
  query: Query,
  success: { 200: flatPageSchema('repos', RepoOut, 'The repositories of the page').meta({ id: 'ReposPage' }) },
  checks: [
    ({ query: { name, search } }) => {
      if (name !== undefined && search !== undefined) {
        throw invalidField('query.search', "Cannot be combined with 'name'", search);
      }
    },
  ],
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { query, org } = request;
    const { page, per_page: perPage, name, search, provider, repo_id: externalId, tag, sort_direction } = query;
    const selection = { name, search, provider, externalId, tags: tag ?? [], direction: sort_direction };
    const { total, repos } = await list(stores, org, selection, { page, perPage });
    const items = repos.map((repo) => {
      if (!('unreadable' in repo)) return repoOut(repo);
      logUnreadable('repos', request, `repository ${repo.id}`, repo.unreadable);
      return unreadableRepo(repo);
    });
    const shown = { page, perPage, total, items };
    return pageAnswer(request, shown, flatPage('repos', request, shown));
  },
});

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
