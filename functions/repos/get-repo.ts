import * as z from 'zod';
import type { Organization } from '#shared/callers/caller.ts';
import {
  atProvider,
  type RepoRecord,
  readListedRepos,
  readRepoById,
  readRepoRecords,
} from '#shared/evidence/records/repo-records.ts';
import { severalRepos, unknownRepo } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import type { Table } from '#shared/table/table.ts';
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
  params: z.object({ org: z.string(), name: z.string() }),
  query: z.object({
    provider: z.string().optional(),
    id: z.string().optional().meta({ description: 'Internal id' }),
  }),
  body: { kind: 'none' },
  success: { 200: RepoOut },
  errors: [unknownRepo, severalRepos],
  handler: async ({ params, query, org }, { table }) => {
    const { name } = params;
    const record =
      query.id === undefined
        ? await readByName(table, org, name, query.provider)
        : await readRepoById(table, org.id, query.id);
    if (!record) throw unknownRepo({ repo: name });
    return { status: 200, body: repoOut(record) };
  },
});

/**
 * Reads the repository that has a name now.
 * @param provider selects among several repositories of this name
 * @throws ServiceError 400 if several repositories have the name and `provider` is not given
 */
async function readByName(
  table: Table,
  org: Organization,
  name: string,
  provider: string | undefined,
): Promise<RepoRecord | null> {
  const named = (await readListedRepos(table, org.id)).filter((repo) => repo.name === name);
  const found = provider === undefined ? named : atProvider(named, provider);
  // Ids sort by time. If several repositories remain, the one that was registered first is meant.
  const [first, second] = found.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  if (!first) return null;
  if (second && provider === undefined) {
    const providers = new Set(found.map((repo) => repo.provider ?? 'no provider'));
    throw severalRepos({ repo: name, providers: [...providers].sort().join(', ') });
  }
  const [record] = await readRepoRecords(table, org.id, [first]);
  if (record && 'unreadable' in record) throw record.unreadable;
  return record ?? null;
}
