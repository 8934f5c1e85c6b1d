import type { Duration, Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { RefreshedRoot } from '#shared/signatures/public-root.ts';
import type { Key } from '#shared/table/items.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import { publicRootKey } from './records/keys.ts';
import { StoredRoot } from './rules/records.ts';

/** A container reads the public root again after this time (rules/verified-evidence.md#refresh). */
const READ_AGAIN_AFTER: Duration = 3600 * 1_000_000;

/** What this process read last, by the name of the table. */
const known = new Map<string, { root: RefreshedRoot | undefined; at: Micros }>();

/** The read of the public root as a part of a read of other items. */
interface PublicRootRead {
  /** What has to be read; empty if this process read it within the last hour. */
  keys: readonly Key[];
  /** @returns the root of the last refresh; undefined if there is none */
  found: (items: ReadonlyMap<string, Item>) => RefreshedRoot | undefined;
}

export function startPublicRoot(table: Table, now: Micros): PublicRootRead {
  const last = known.get(table.name);
  if (last && now - last.at < READ_AGAIN_AFTER) return { keys: [], found: () => last.root };
  const key = publicRootKey();
  return {
    keys: [key],
    found: (items) => {
      const item = items.get(keyText(key));
      const root = item && StoredRoot.parse(item);
      known.set(table.name, { root, at: now });
      return root;
    },
  };
}

/** Reads the root of the last refresh, unless this process read it within the last hour. @returns undefined if there is none */
export async function readPublicRoot({
  table,
  clock,
}: Pick<Stores, 'table' | 'clock'>): Promise<RefreshedRoot | undefined> {
  const { keys, found } = startPublicRoot(table, clock.now());
  return found(await table.getMany(keys));
}
