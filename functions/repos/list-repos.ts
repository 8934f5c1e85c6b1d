import * as z from 'zod';
import type { Id } from '#shared/base/ids.ts';
import { invalidField } from '#shared/base/validation.ts';
import {
  atProvider,
  findReposByTags,
  type ListedRepo,
  readListedRepos,
  readRepoRecords,
} from '#shared/evidence/records/repo-records.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { listField, pageFields } from '#shared/http/query-fields.ts';
import { noteUnreadable } from '#shared/http/unreadable.ts';
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
type Query = z.output<typeof Query>;

/** GET /repos/{org}: the repositories that reports named, sorted by name (rules/lookups.md#list-repositories). */
export const listRepos = endpoint({
  operation: 'listRepos',
  method: 'GET',
  path: '/repos/{org}',
  summary: 'List repositories',
  access: 'reader',
  params: z.object({ org: z.string() }),
  query: Query,
  body: { kind: 'none' },
  success: { 200: flatPageSchema('repos', RepoOut).meta({ id: 'ReposPage' }) },
  errors: [],
  checks: [
    ({ query: { name, search } }) => {
      if (name !== undefined && search !== undefined) {
        throw invalidField('query.search', "Cannot be combined with 'name'", search);
      }
    },
  ],
  handler: async (request, { table }) => {
    const { query, org } = request;
    const [listed, tagged] = await Promise.all([
      readListedRepos(table, org.id),
      findReposByTags(table, org.id, query.tag ?? []),
    ]);
    const wanted = sortRepos(filterRepos(listed, query, tagged), query);
    const { page, per_page: perPage } = query;
    const shown = wanted.slice((page - 1) * perPage, page * perPage);
    const byId = new Map(shown.map((repo) => [repo.id, repo]));
    const items = (await readRepoRecords(table, org.id, shown)).map((record) => {
      if (!('unreadable' in record)) return repoOut(record);
      noteUnreadable('repos', request, `repository ${record.id}`, record.unreadable);
      const repo = byId.get(record.id);
      if (!repo) throw new Error(`Repository ${record.id} was read, but is not on the page`);
      return unreadableRepo(repo);
    });
    const answered = { page, perPage, total: wanted.length, items };
    return pageAnswer(request, answered, flatPage('repos', request, answered));
  },
});

function filterRepos(repos: readonly ListedRepo[], query: Query, tagged: readonly ReadonlySet<Id>[]): ListedRepo[] {
  const { name, search, provider, repo_id: externalId } = query;
  const text = search?.toLowerCase();
  const found = repos.filter(
    (repo) =>
      (name === undefined || repo.name === name) &&
      (text === undefined || repo.name.toLowerCase().includes(text)) &&
      (externalId === undefined || repo.externalId === externalId) &&
      tagged.every((ids) => ids.has(repo.id)),
  );
  return provider === undefined ? found : atProvider(found, provider);
}

/** Names are not unique. Repositories of one name are sorted by id, so that the one registered first comes first. */
function sortRepos(repos: readonly ListedRepo[], { sort_direction: direction }: Query): ListedRepo[] {
  const inOrder = repos.toSorted((one, other) =>
    one.name === other.name ? (one.id < other.id ? -1 : 1) : one.name < other.name ? -1 : 1,
  );
  return direction === 'asc' ? inOrder : inOrder.reverse();
}
