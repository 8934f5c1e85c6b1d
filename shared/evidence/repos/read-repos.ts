import type { Id } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Unreadable } from '#shared/series/unreadable.ts';
import type { Table } from '#shared/table/table.ts';
import {
  atProvider,
  findReposByTags,
  type ListedRepo,
  type RepoRecord,
  readListedRepos,
  readRepoById,
  readRepoRecords,
} from '../records/repo-records.ts';
import { severalRepos, unknownRepo } from '../rules/sentences.ts';

export type { ListedRepo, RepoRecord };

/**
 * Reads a repository by its present name or by its inner id (rules/lookups.md#get-a-repository).
 *
 * @param wanted with an `id` the name is ignored; `provider` selects among several repositories of the name
 * @throws ServiceError `not-found`; `severalRepos` if several repositories have the name and no provider is given
 */
export async function getRepo(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  { name, provider, id }: { name: string; provider?: string | undefined; id?: Id | undefined },
): Promise<RepoRecord> {
  const record = await (id === undefined ? readByName(table, org, name, provider) : readRepoById(table, org.id, id));
  if (!record) throw unknownRepo({ repo: name });
  return record;
}

async function readByName(table: Table, org: Organization, name: string, provider: string | undefined) {
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

/** Which repositories are listed, and in which order. */
interface RepoSelection {
  name?: string | undefined;
  /** Text that the names contain, in upper or lower case. */
  search?: string | undefined;
  provider?: string | undefined;
  /** Id at the provider. */
  externalId?: string | undefined;
  /** `key`, or `key:value`; a repository must have all of them. */
  tags: readonly string[];
  /** The order by name. */
  direction: 'asc' | 'desc';
}

/** A repository of a list. One whose record cannot be read has only what the list knows of it. */
type ShownRepo = RepoRecord | (ListedRepo & Pick<Unreadable, 'unreadable'>);

/**
 * Lists repositories, sorted by name (rules/lookups.md#list-repositories).
 *
 * @returns the repositories of the page, and how many are selected in all
 */
export async function listRepos(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  selection: RepoSelection,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ total: number; repos: ShownRepo[] }> {
  const [listed, tagged] = await Promise.all([
    readListedRepos(table, org.id),
    findReposByTags(table, org.id, selection.tags),
  ]);
  const wanted = sortRepos(filterRepos(listed, selection, tagged), selection);
  const shown = wanted.slice((page - 1) * perPage, page * perPage);
  const byId = new Map(shown.map((repo) => [repo.id, repo]));
  const repos = (await readRepoRecords(table, org.id, shown)).map((record): ShownRepo => {
    if (!('unreadable' in record)) return record;
    const repo = byId.get(record.id);
    if (!repo) throw new Error(`Repository ${record.id} was read, but is not on the page`);
    return { ...repo, unreadable: record.unreadable };
  });
  return { total: wanted.length, repos };
}

function filterRepos(
  repos: readonly ListedRepo[],
  { name, search, provider, externalId }: RepoSelection,
  tagged: readonly ReadonlySet<Id>[],
): ListedRepo[] {
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
function sortRepos(repos: readonly ListedRepo[], { direction }: RepoSelection): ListedRepo[] {
  const inOrder = repos.toSorted((one, other) =>
    one.name === other.name ? (one.id < other.id ? -1 : 1) : one.name < other.name ? -1 : 1,
  );
  return direction === 'asc' ? inOrder : inOrder.reverse();
}
