import * as z from 'zod';
import { type Id, newId, type OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { catalogueWrite, readCatalogue } from '#shared/series/catalogue.ts';
import { type Key, putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import type { EventRepo } from '../rules/events.ts';
import { providerFamily, type UsableRepo } from '../rules/shared-fields.ts';
import { repoIdKey, repoKey, repoPartition } from './keys.ts';

/** A source repository, discovered from reports (semantics §11). Its inner id never changes. */
export const Repo = z.object({
  id: z.string(),
  externalId: z.string(),
  name: z.string(),
  url: z.string(),
  provider: z.string().nullable(),
  description: z.string().nullable(),
  created: z.number(),
  modified: z.number(),
});
export type Repo = z.infer<typeof Repo>;

/** A description is only told, never decided on: longer ones are cut where the record lies in a list. */
const DESCRIPTION_LIMIT = 1000;
const UNKNOWN_FAMILY = '-';
const familyOf = (provider: string | null) => providerFamily(provider) ?? UNKNOWN_FAMILY;

/** Where a repository lies: its external id is its identity, with the family of its provider (wire flows U28). */
export const keyOfRepo = (org: OrganizationId, { externalId, provider }: Pick<Repo, 'externalId' | 'provider'>): Key =>
  repoKey(org, externalId, familyOf(provider));

/** The repositories with this external id, whatever their provider; one read. */
export async function findRepos(table: Table, org: OrganizationId, externalId: string): Promise<Repo[]> {
  const items = await table.query({ pk: repoPartition(org, externalId) });
  return items.map((item) => Repo.parse(item));
}

const RepoEntry = z.object({ n: z.string() });

/** The inner id of a repository by its present name; the one registered first where several have it. */
export async function findRepoByName(table: Table, org: OrganizationId, name: string): Promise<Id | null> {
  const entries = await readCatalogue(table, org, 'repo');
  const found = [...entries.values()].filter(({ entry }) => RepoEntry.parse(entry).n === name).map(({ id }) => id);
  return found.sort()[0] ?? null;
}

/**
 * The repository that a report names, and the writes that make or change it: none where nothing differs (design §2.9).
 * Identity is external id and provider family; a missing provider matches any and is filled when it appears.
 * @param again what it means that another writer was first
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
  const repo: Repo = {
    id: known?.id ?? newId(at),
    externalId: info.id,
    name: info.name,
    url: info.url,
    provider: info.provider ?? known?.provider ?? null,
    description: (info.description ?? known?.description)?.slice(0, DESCRIPTION_LIMIT) ?? null,
    created: known?.created ?? at,
    modified: at,
  };
  if (known && JSON.stringify({ ...known, modified: 0 }) === JSON.stringify({ ...repo, modified: 0 })) {
    return { repo: known, writes: [] };
  }
  const key = keyOfRepo(org, repo);
  const item = { ...key, v: 1, ...repo };
  const entry = catalogueWrite(org, 'repo', repo.id, { n: repo.name, x: repo.externalId, p: repo.provider });
  const pointer: Write<R> = { put: { ...repoIdKey(org, repo.id), v: 1, externalId: repo.externalId, family: key.sk } };
  if (!known) return { repo, writes: [putIfAbsent(item, again), pointer, entry] };
  const unchanged = {
    ConditionExpression: '#modified = :modified',
    ExpressionAttributeNames: { '#modified': 'modified' },
    ExpressionAttributeValues: { ':modified': known.modified },
    refused: again,
  };
  const oldKey = keyOfRepo(org, known);
  if (oldKey.sk === key.sk) return { repo, writes: [{ put: item, ...unchanged }, entry] };
  return { repo, writes: [{ remove: oldKey, ...unchanged }, putIfAbsent(item, again), pointer, entry] };
}

/** A repository as the events of a trail show it (wire flows §4). */
export const repoOfTrail = (repo: Repo): EventRepo => ({
  inner_id: repo.id,
  repo_id: repo.externalId,
  name: repo.name,
  url: repo.url,
  provider: repo.provider,
  description: repo.description,
  created_at: repo.created,
  last_modified_at: repo.modified,
});
