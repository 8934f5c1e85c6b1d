import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { toSeconds } from '#shared/base/time.ts';
import { encodeBundle, encodeTile, TILE_WIDTH, tileWidth } from '#shared/tlog/tiles.ts';
import { leafHash, rootOfLeaves } from '#shared/tlog/tree.ts';
import { expireBatches, readBatches, readTileRoots, storeRoots, storeTileRoot } from './records/log-batches.ts';
import { type LogHead, storeTiled } from './records/log-state.ts';
import type { LogServices } from './services.ts';
import { tileName } from './tiles.ts';

/** Bundles that are stored at the same time. */
const WIDTH = 2;

/**
 * Stores the bundles and tiles that became full since the last call (rules/log.md#full-tiles). They derive from the
 * batches alone, so a call that was interrupted can be repeated by any other.
 *
 * @param isTime whether there is time for further bundles
 * @returns how many entries have full tiles afterwards
 * @throws Error if the bucket has a tile with other bytes
 */
export async function storeFullTiles(
  services: LogServices,
  org: OrganizationId,
  head: LogHead,
  isTime: () => boolean,
): Promise<number> {
  const full = Math.floor(head.range.size / TILE_WIDTH);
  let done = Math.floor(head.tiled / TILE_WIDTH);
  while (done < full && isTime()) {
    const bundles = Array.from({ length: Math.min(WIDTH, full - done) }, (_, i) => done + i);
    const stored = await inParallel(bundles, WIDTH, (index) => storeBundle(services, org, index));
    const next = done + bundles.length;
    // One after the other, because the roots above a tile need those of the tiles before it.
    for (const [i, { root }] of stored.entries()) await storeRoots(services.table, org, done + i, root);
    await storeUpperTiles(services, org, done * TILE_WIDTH, next * TILE_WIDTH);
    await expireBatches(
      services.table,
      org,
      stored.flatMap(({ firsts }) => firsts),
      Math.ceil(toSeconds(services.clock.now())),
    );
    await storeTiled(services.table, org, next * TILE_WIDTH);
    done = next;
  }
  return done * TILE_WIDTH;
}

/** Stores one full bundle and its tile. @returns the first indexes of its batches, and the root of the tile */
async function storeBundle(
  { table, objects }: LogServices,
  org: OrganizationId,
  index: number,
): Promise<{ firsts: number[]; root: Buffer }> {
  const { firsts, entries } = await readBatches(table, org, index, TILE_WIDTH);
  if (entries.length !== TILE_WIDTH)
    throw new Error(`Bundle ${index} of organization ${org} has ${entries.length} entries`);
  const leaves = entries.map(leafHash);
  const width = TILE_WIDTH;
  await Promise.all([
    objects.putLogObject(org, tileName({ level: 'entries', index, width }), encodeBundle(entries)),
    objects.putLogObject(org, tileName({ level: 0, index, width }), encodeTile(leaves)),
  ]);
  return { firsts, root: rootOfLeaves(leaves) };
}

/** Stores the tiles above level 0 that became full when the log grew from `since` to `size` entries. */
async function storeUpperTiles(
  { table, objects }: LogServices,
  org: OrganizationId,
  since: number,
  size: number,
): Promise<void> {
  for (let level = 1; tileWidth(size, level, 0) === TILE_WIDTH; level += 1) {
    const span = TILE_WIDTH ** (level + 1);
    for (let index = Math.floor(since / span); tileWidth(size, level, index) === TILE_WIDTH; index += 1) {
      const hashes = await readTileRoots(table, org, level - 1, index * TILE_WIDTH, TILE_WIDTH);
      await objects.putLogObject(org, tileName({ level, index, width: TILE_WIDTH }), encodeTile(hashes));
      await storeTileRoot(table, org, level, index, rootOfLeaves(hashes));
    }
  }
}
