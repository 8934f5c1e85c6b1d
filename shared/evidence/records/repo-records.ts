import * as z from 'zod';
import { type Id, isId, type OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { readActivity } from '#shared/series/activity.ts';
import { type Catalogue, readCatalogue } from '#shared/series/catalogue.ts';
import { activityKey } from '#shared/series/keys.ts';
import { findTagged } from '#shared/series/tag-index.ts';
import { readTags } from '#shared/series/tag-items.ts';
import type { Unreadable } from '#shared/series/unreadable.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import { REPOS } from '../rules/series-kinds.ts';
import { providerFamily } from '../rules/shared-fields.ts';
import { REPO_TAG_SHARDS, repoIdKey, repoPartition, repoTagKey, repoTagPartition, repoTagsKey } from './keys.ts';
import { findRepos, keyOfRepo, Repo } from './repos.ts';

/** The part of a repository that lists and filters need. */
export interface ListedRepo {
  id: Id;
  name: string;
  externalId: string;
  provider: string | null;
  activity: Item | undefined;
}

/** Reads all repositories of the organization from their catalogue, in no order. */
export async function readListedRepos(table: Table, org: OrganizationId): Promise<ListedRepo[]> {
  return listedRepos(await readCatalogue(table, org, REPOS));
}

/** Shapes the entries of the catalogue of repositories. */
export function listedRepos(entries: Catalogue<Id>): ListedRepo[] {
  return [...entries.values()].map(({ id, entry, activity }) => {
    const { n, x, p } = entry;
    return { id, name: String(n), externalId: String(x), provider: typeof p === 'string' ? p : null, activity };
  });
}

/**
 * Filters repositories by provider: those with exactly this provider, or, if there are none, those of its family
 * (rules/lookups.md#list-repositories). Clients use several names for one provider.
 */
export function atProvider(repos: readonly ListedRepo[], provider: string): ListedRepo[] {
  const exact = repos.filter((repo) => repo.provider === provider);
  const family = providerFamily(provider);
  return exact.length > 0 || family === null ? exact : repos.filter((repo) => providerFamily(repo.provider) === family);
}

/** Finds a repository by its inner id, with two reads. */
export async function findRepoById(table: Table, org: OrganizationId, id: Id): Promise<Repo | null> {
  const [repo] = await findReposById(table, org, [id]);
  return repo ?? null;
}

/** What lists show of a repository beside its inner id. It lies under the inner id. */
const RepoLabel = z.object({ externalId: z.string(), name: z.string(), provider: z.string().nullable() });

/** Returns the labels of repositories among items that were read, by inner id. */
export const repoLabelsIn = (org: OrganizationId, ids: readonly Id[], found: ReadonlyMap<string, Item>) =>
  new Map(
    ids.flatMap((id) => {
      const item = found.get(keyText(repoIdKey(org, id)));
      return item ? [[id, RepoLabel.parse(item)]] : [];
    }),
  );

/** Finds repositories by their inner ids, with two groups of reads. Missing repositories are left out. */
export async function findReposById(table: Table, org: OrganizationId, ids: readonly Id[]): Promise<Repo[]> {
  const wanted = new Set(ids.filter(isId));
  const keys = [...wanted].map((id) => repoIdKey(org, id));
  const labels = repoLabelsIn(org, [...wanted], await table.getMany(keys));
  // The rest of the key changes when the provider becomes known. The external id never changes.
  const externalIds = new Set([...labels.values()].map(({ externalId }) => externalId));
  const found = await table.queryEach([...externalIds].map((externalId) => ({ pk: repoPartition(org, externalId) })));
  return found
    .flat()
    .map((item) => Repo.parse(item))
    .filter(({ id }) => wanted.has(id));
}

/** Everything that the answer for a repository shows. */
export interface RepoRecord {
  repo: Repo;
  tags: Record<string, string>;
  /** When a report last named the repository, as far as the relay has derived it; null if it is not known yet. */
  activity: Micros | null;
}

/** Reads everything of one repository by its inner id, in as many sequential reads as {@link findRepoById}. */
export async function readRepoById(table: Table, org: OrganizationId, id: Id): Promise<RepoRecord | null> {
  if (!isId(id)) return null;
  const [tagsKey, derivedKey] = [repoTagsKey(org, id), activityKey(org, REPOS.name, id)];
  const [repo, beside] = await Promise.all([findRepoById(table, org, id), table.getMany([tagsKey, derivedKey])]);
  return repo && recordOf(repo, beside.get(keyText(tagsKey)), beside.get(keyText(derivedKey)));
}

/**
 * Reads everything of the listed repositories, in their order. A repository that cannot be read becomes a placeholder.
 */
export async function readRepoRecords(table: Table, org: OrganizationId, listed: readonly ListedRepo[]) {
  const found = await table.getMany(listed.flatMap((one) => [keyOfRepo(org, one), repoTagsKey(org, one.id)]));
  const read = await Promise.all(
    listed.map(async (one): Promise<RepoRecord | Unreadable | undefined> => {
      try {
        const item = found.get(keyText(keyOfRepo(org, one)));
        // If its provider became known after it was listed, the repository has another key now.
        const repo = item ? Repo.parse(item) : await findUnderAnyKey(table, org, one);
        return repo && recordOf(repo, found.get(keyText(repoTagsKey(org, one.id))), one.activity);
      } catch (unreadable) {
        return { id: one.id, unreadable };
      }
    }),
  );
  return read.filter((record) => record !== undefined);
}

const findUnderAnyKey = async (table: Table, org: OrganizationId, { id, externalId }: ListedRepo) =>
  (await findRepos(table, org, externalId)).find((repo) => repo.id === id);

const recordOf = (repo: Repo, tags: Item | undefined, activity: Item | undefined): RepoRecord => ({
  repo,
  tags: readTags(tags),
  activity: readActivity(activity)?.at ?? null,
});

/** Finds the repositories that have tags, as {@link findTagged}. */
export const findReposByTags = (table: Table, org: OrganizationId, tags: readonly string[]) =>
  findTagged(table, tags, {
    partitions: (name) => Array.from({ length: REPO_TAG_SHARDS }, (_, shard) => repoTagPartition(org, name, shard)),
    prefix: (name, value) => repoTagKey(org, name, value, '').sk,
  });
