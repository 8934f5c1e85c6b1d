import { hash } from 'node:crypto';
import type { Id } from '#shared/base/ids.ts';
import { CATALOGUE_SHARDS, family, repoIdKey } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

/** Keys of what people say of repositories; `repo-patterns.ts` says what they answer. */

/** Apart from the record, which every report of the repository may put over. */
export const repoTagsKey = (org: Id, id: Id): Key => ({ pk: repoIdKey(org, id).pk, sk: 'TAGS' });

/** The repositories that have a tag of this name: cut as their catalogue is, since all of them may have it. */
export const repoTagPartition = (org: Id, name: string, shard: number): string =>
  family(org, 'REPOTAG', name, String(shard));
/** A repository by one of its tags. Values may be longer than a key: their digest stands for them. */
export const repoTagKey = (org: Id, name: string, value: string, id: Id): Key => ({
  pk: repoTagPartition(org, name, Number.parseInt(id.slice(-1), 16) % CATALOGUE_SHARDS),
  sk: `${hash('sha256', value)}#${id}`,
});
/** What {@link repoTagKey} put behind the digest of the value. */
export const readRepoTagKey = ({ sk }: Key): Id => sk.slice(sk.indexOf('#') + 1);
