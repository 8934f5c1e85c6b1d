import * as z from 'zod';
import { type Id, isId, type OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { readDerived } from '#shared/series/activity.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { activityKey, CATALOGUE_SHARDS } from '#shared/series/keys.ts';
import { readTags } from '#shared/series/tag-items.ts';
import { isTagName } from '#shared/series/tags.ts';
import type { Unreadable } from '#shared/series/unreadable.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import { providerFamily } from '../rules/shared-fields.ts';
import { readRepoTagKey, repoIdKey, repoTagKey, repoTagPartition, repoTagsKey } from './keys.ts';
import { findRepos, keyOfRepo, Repo } from './repos.ts';

/** What lists and filters need of a repository: its present name, id at the provider and provider. */
export interface ListedRepo {
  id: Id;
  name: string;
  externalId: string;
  provider: string | null;
  activity: Item | undefined;
}

/** Every repository of the organization, in no order; eight Queries at once. */
export async function readListedRepos(table: Table, org: OrganizationId): Promise<ListedRepo[]> {
  const entries = await readCatalogue(table, org, 'repo');
  return [...entries.values()].map(({ id, entry, activity }) => {
    const { n, x, p } = entry;
    return { id, name: String(n), externalId: String(x), provider: typeof p === 'string' ? p : null, activity };
  });
}

/**
 * The repositories at a provider: those that report this very name; where none does, those of its family, since one
 * provider goes by several names (wire flows U28).
 */
export function atProvider(repos: readonly ListedRepo[], provider: string): ListedRepo[] {
  const exact = repos.filter((repo) => repo.provider === provider);
  const family = providerFamily(provider);
  return exact.length > 0 || family === null ? exact : repos.filter((repo) => providerFamily(repo.provider) === family);
}

/** A repository by its inner id, which never changes; two reads. */
export async function findRepoById(table: Table, org: OrganizationId, id: Id): Promise<Repo | null> {
  const [repo] = await findReposById(table, org, [id]);
  return repo ?? null;
}

const Pointer = z.object({ externalId: z.string() });

/** Repositories by their inner ids; those that are not there are left out. Two batches of reads. */
export async function findReposById(table: Table, org: OrganizationId, ids: readonly Id[]): Promise<Repo[]> {
  const wanted = new Set(ids.filter(isId));
  const pointers = await table.getMany([...wanted].map((id) => repoIdKey(org, id)));
  // By external id alone, which never changes either: the rest of the key does when a provider becomes known.
  const externalIds = new Set([...pointers.values()].map((item) => Pointer.parse(item).externalId));
  const found = await Promise.all([...externalIds].map((externalId) => findRepos(table, org, externalId)));
  return found.flat().filter(({ id }) => wanted.has(id));
}

/** Everything of a repository that its record shows. */
export interface RepoRecord {
  repo: Repo;
  tags: Record<string, string>;
  /** When a report last named it, as the relay derived it; null = not known yet. */
  activity: Micros | null;
}

/** Everything of one repository by its inner id; as many reads as {@link findRepoById}. */
export async function readRepoById(table: Table, org: OrganizationId, id: Id): Promise<RepoRecord | null> {
  if (!isId(id)) return null;
  const [tagsKey, derivedKey] = [repoTagsKey(org, id), activityKey(org, 'repo', id)];
  const [repo, beside] = await Promise.all([findRepoById(table, org, id), table.getMany([tagsKey, derivedKey])]);
  return repo && recordOf(repo, beside.get(keyText(tagsKey)), beside.get(keyText(derivedKey)));
}

/** Everything of listed repositories, in the order asked. */
export async function readRepoRecords(
  table: Table,
  org: OrganizationId,
  listed: readonly ListedRepo[],
): Promise<(RepoRecord | Unreadable)[]> {
  const found = await table.getMany(listed.flatMap((one) => [keyOfRepo(org, one), repoTagsKey(org, one.id)]));
  const read = await Promise.all(
    listed.map(async (one): Promise<RepoRecord | Unreadable | undefined> => {
      try {
        const item = found.get(keyText(keyOfRepo(org, one)));
        // Where its provider became known since it was listed, it lies under another key.
        const repo = item ? Repo.parse(item) : await moved(table, org, one);
        return repo && recordOf(repo, found.get(keyText(repoTagsKey(org, one.id))), one.activity);
      } catch (unreadable) {
        return { id: one.id, unreadable };
      }
    }),
  );
  return read.filter((record) => record !== undefined);
}

const moved = async (table: Table, org: OrganizationId, { id, externalId }: ListedRepo): Promise<Repo | undefined> =>
  (await findRepos(table, org, externalId)).find((repo) => repo.id === id);

const recordOf = (repo: Repo, tags: Item | undefined, activity: Item | undefined): RepoRecord => ({
  repo,
  tags: readTags(tags),
  activity: readDerived(activity).activity?.at ?? null,
});

/** The repositories that have a tag: `name`, or `name:value`. */
export async function findReposByTag(table: Table, org: OrganizationId, tag: string): Promise<Set<Id>> {
  const colon = tag.indexOf(':');
  const name = colon < 0 ? tag : tag.slice(0, colon);
  if (!isTagName(name)) return new Set();
  const prefix = colon < 0 ? {} : { prefix: repoTagKey(org, name, tag.slice(colon + 1), '').sk };
  const shards = Array.from({ length: CATALOGUE_SHARDS }, (_, shard) => repoTagPartition(org, name, shard));
  const items = await Promise.all(shards.map((pk) => table.query({ pk, ...prefix })));
  return new Set(items.flat().map(readRepoTagKey));
}
