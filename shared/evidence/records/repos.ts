import * as z from 'zod';
import { type Id, newId, type OrganizationId } from '#shared/base/ids.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import { cutText } from '#shared/base/well-formed.ts';
import { catalogueWrite, readCatalogue } from '#shared/series/catalogue.ts';
import { onlyIf, unchanged } from '#shared/table/expressions.ts';
import { type Key, putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { REPOS } from '../rules/series-kinds.ts';
import { providerFamily, type UsableRepo } from '../rules/shared-fields.ts';
import { repoIdKey, repoKey, repoPartition } from './keys.ts';
import type { EventRepo } from './trail-items.ts';

/**
 * A source repository, registered by reports (rules/lookups.md#repositories). `id` is the inner id, which never
 * changes.
 */
export const Repo = z.object({
  id: z.string(),
  externalId: z.string(),
  name: z.string(),
  url: z.string(),
  provider: z.string().nullable(),
  description: z.string().nullable(),
  created: StoredMicros,
  modified: StoredMicros,
});
export type Repo = z.infer<typeof Repo>;

/** Longest stored description, in characters (rules/lookups.md#repository-capture). */
const DESCRIPTION_LIMIT = 1000;
const UNKNOWN_FAMILY = '-';
const familyOf = (provider: string | null) => providerFamily(provider) ?? UNKNOWN_FAMILY;

/**
 * Returns the key of a repository: its external id and the family of its provider
 * (rules/lookups.md#identity-of-a-repository).
 */
export const keyOfRepo = (org: OrganizationId, { externalId, provider }: Pick<Repo, 'externalId' | 'provider'>): Key =>
  repoKey(org, externalId, familyOf(provider));

/** Finds the repositories of all providers with this external id, in one read. */
export async function findRepos(table: Table, org: OrganizationId, externalId: string): Promise<Repo[]> {
  const items = await table.query({ pk: repoPartition(org, externalId) });
  return items.map((item) => Repo.parse(item));
}

const RepoEntry = z.object({ n: z.string() });

/**
 * Finds the inner id of a repository by its present name. If several have the name, the one that was registered first.
 */
export async function findRepoByName(table: Table, org: OrganizationId, name: string): Promise<Id | null> {
  return (await findReposByName(table, org, [name])).get(name) ?? null;
}

/** As {@link findRepoByName} for several names. Unknown names are left out; without names nothing is read. */
export async function findReposByName(table: Table, org: OrganizationId, names: readonly string[]) {
  const found = new Map<string, Id>();
  if (names.length === 0) return found;
  const ids = [...(await readCatalogue(table, org, REPOS)).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const { id, entry } of ids) {
    const { n: name } = RepoEntry.parse(entry);
    if (names.includes(name) && !found.has(name)) found.set(name, id);
  }
  return found;
}

/**
 * Plans how a report creates or changes the repository that it names (rules/lookups.md#identity-of-a-repository).
 * Without a difference there are no writes (rules/lookups.md#changed-facts).
 *
 * @param found the repositories with the external id of the report
 * @param again outcome if another writer was first
 */
export function planRepo<R>(
  org: OrganizationId,
  found: readonly Repo[],
  info: UsableRepo,
  at: Micros,
  again: () => R,
): { repo: Repo; writes: Write<R>[] } {
  const family = familyOf(info.provider);
  const known =
    found.find((repo) => familyOf(repo.provider) === family) ??
    (family === UNKNOWN_FAMILY ? found[0] : found.find((repo) => repo.provider === null));
  const description = info.description ?? known?.description;
  const repo: Repo = {
    id: known?.id ?? newId(at),
    externalId: info.id,
    name: info.name,
    url: info.url,
    provider: info.provider ?? known?.provider ?? null,
    description: description == null ? null : cutText(description, DESCRIPTION_LIMIT),
    created: known?.created ?? at,
    modified: at,
  };
  if (known && JSON.stringify({ ...known, modified: 0 }) === JSON.stringify({ ...repo, modified: 0 })) {
    return { repo: known, writes: [] };
  }
  const key = keyOfRepo(org, repo);
  const item = { ...key, v: 1, ...repo };
  const entry = catalogueWrite(org, REPOS, repo.id, { n: repo.name, x: repo.externalId, p: repo.provider });
  const { name, provider, externalId } = repo;
  const pointer: Write<R> = { put: { ...repoIdKey(org, repo.id), v: 1, externalId, name, provider } };
  if (!known) return { repo, writes: [putIfAbsent(item, again), pointer, entry] };
  const asRead = { ...onlyIf(unchanged(known, 'modified')), refused: again };
  const oldKey = keyOfRepo(org, known);
  if (oldKey.sk === key.sk) return { repo, writes: [{ put: item, ...asRead }, pointer, entry] };
  return { repo, writes: [{ remove: oldKey, ...asRead }, putIfAbsent(item, again), pointer, entry] };
}

/** Returns the copy of a repository that the events of a trail show (rules/trails.md#repositories-of-a-trail). */
export const eventRepoOf = (repo: Repo): EventRepo => ({
  inner_id: repo.id,
  repo_id: repo.externalId,
  name: repo.name,
  url: repo.url,
  provider: repo.provider,
  description: repo.description,
  created_at: repo.created,
  last_modified_at: repo.modified,
});
