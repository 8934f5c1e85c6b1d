import type { OrganizationId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import { absent, onlyIf, unchanged } from '#shared/table/expressions.ts';
import { type Item, readRecord, type Table, type Write } from '#shared/table/table.ts';
import { Watch, WatchName } from '../rules/watch.ts';
import { watchKey, watchList } from './keys.ts';

/** How exports show watches. */
export const SHOWN_WATCH = { item: 'watch', schema: Watch };

/** Reads a watch; undefined if no watch has the name. */
export const readWatch = async (table: Table, org: OrganizationId, name: string): Promise<Watch | undefined> =>
  WatchName.safeParse(name).success ? readRecord(table, watchKey(org, name), Watch) : undefined;

/**
 * Reads the items of watches, sorted by name. The caller parses each item, so one unreadable item does not fail the list.
 *
 * @param after name of the last watch of the page before
 */
export const readWatchItems = (
  table: Table,
  org: OrganizationId,
  { after, limit }: { after?: string | undefined; limit?: number } = {},
): Promise<Item[]> =>
  table.query({
    pk: watchList(org),
    ...(limit !== undefined && { limit }),
    // The zero makes the smallest sort key behind `after`.
    ...(after !== undefined && { from: `${after}\0` }),
  });

/** Reads all watches. One that cannot be read asks nothing; the list of watches shows it as unreadable. */
export const readWatches = async (table: Table, org: OrganizationId): Promise<Watch[]> =>
  (await readWatchItems(table, org)).flatMap((item) => Watch.safeParse(item).data ?? []);

/**
 * Returns the writes that save or remove a watch, and what they leave behind (rules/organizations.md#covers). They are refused with `again`
 * if the watch has changed since it was read, or if it is not new.
 *
 * @param after undefined removes it
 */
export function watchWrites(
  org: OrganizationId,
  before: Watch | undefined,
  after: Watch | undefined,
): { write: Write<'again'>; covers: Cover[] } {
  const line = (one: Watch | undefined) => one && lineOf(SHOWN_WATCH, one);
  const covers = [coverOf('watches/watch', line(before), line(after))];
  if (after) {
    const condition = onlyIf(before ? unchanged(before, 'id', 'rev') : absent());
    return { write: { put: { ...watchKey(org, after.name), ...after }, ...condition, refused: again }, covers };
  }
  if (!before) throw new Error('A watch that does not exist cannot be removed');
  const condition = onlyIf(unchanged(before, 'id', 'rev'));
  return { write: { remove: watchKey(org, before.name), ...condition, refused: again }, covers };
}
