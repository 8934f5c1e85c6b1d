import type { OrganizationId } from '#shared/base/ids.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { testPartition } from '#test/support/ids.ts';
import { recordedCount, writtenKeysOf } from '../table/written-keys.ts';
import { resealed } from './resealed.ts';

/**
 * Returns a function that makes organizations with the items that requests stored in a first one. Use it for tests that
 * begin alike: the requests are sent once. The copies have the ids and times of the first organization. A hash covers the id of
 * the organization: moments and snapshots get hashes that fit, audit entries keep hashes that do not. Where a test checks hashes,
 * it has to send the requests itself.
 *
 * @param newOrganization makes an organization without items of its own
 * @param prepare sends the requests to the first organization
 */
export function copiesOfOrganization<O extends { id: OrganizationId }>(
  table: Table,
  newOrganization: () => Promise<O>,
  prepare: (first: O) => Promise<unknown>,
): () => Promise<O> {
  const readFirst = async () => {
    const first = await newOrganization();
    const before = recordedCount();
    await prepare(first);
    const items = await table.getMany(writtenKeysOf(table.name, first.id, before));
    return { first: first.id, items: [...items.values()] };
  };
  let prepared: ReturnType<typeof readFirst> | undefined;
  return async () => {
    prepared ??= readFirst();
    const { first, items } = await prepared;
    const copy = await newOrganization();
    await table.putMany(
      resealed(items.map((item): Item => ({ ...item, pk: testPartition(item.pk.replace(first, copy.id)) }))),
    );
    return copy;
  };
}
