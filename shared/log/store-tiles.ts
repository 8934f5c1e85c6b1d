import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { toSeconds } from '#shared/base/time.ts';
import { TILE_HEIGHT } from '#shared/tlog/proofs.ts';
import { encodeBundle, encodeTile, TILE_WIDTH, tileWidth } from '#shared/tlog/tiles.ts';
import { leafHash, rootOfLeaves } from '#shared/tlog/tree.ts';
import { expireBatches, readBatches, readTileRoots, storeRoots, storeTileRoot } from './records/log-batches.ts';
import { type LogHead, storeTiled } from './records/log-state.ts';
import type { BundleRoots } from './rules/growth.ts';
import { LogDiffers } from './rules/log-differs.ts';
import type { LogServices } from './services.ts';
import { tileName } from './tiles.ts';

const WIDTH = 2;

/**
 * Stores the bundles and tiles that became full since the last call (rules/log.md#full-tiles). They derive from the
 * batches alone, so a call that was interrupted can be repeated by any other.
 *
 * @param full roots of the bundles since the published checkpoint; what is stored has to have them
 * @returns how many entries have full tiles afterwards
 * @throws ObjectDiffers if the bucket has a tile with other bytes; LogDiffers if the entries or roots in the table were changed
 */
export async function storeFullTiles(
  services: LogServices,
  org: OrganizationId,
  head: LogHead,
  full: BundleRoots,
  isTime: () => boolean,
): Promise<number> {
  const end = Math.floor(head.range.size / TILE_WIDTH);
  let done = Math.floor(head.tiled / TILE_WIDTH);
  while (done < end && isTime()) {
    const bundles = Array.from({ length: Math.min(WIDTH, end - done) }, (_, i) => done + i);
    const stored = await inParallel(bundles, WIDTH, (index) =>
      storeBundle(services, org, index, rootsOf(org, full, index)),
    );
    const next = done + bundles.length;
    await storeUpperTiles(services, org, [done * TILE_WIDTH, next * TILE_WIDTH], full);
    const firsts = stored.flatMap((one) => one.firsts);
    await expireBatches(services.table, org, firsts, Math.ceil(toSeconds(services.clock.now())));
    await storeTiled(services.table, org, next * TILE_WIDTH);
    done = next;
  }
  return done * TILE_WIDTH;
}

function rootsOf(org: OrganizationId, full: BundleRoots, index: number): readonly Buffer[] {
  const roots = full.get(index);
  if (roots) return roots;
  throw new Error(`Bundle ${index} of organization ${org} was full before the published checkpoint`);
}

/** Stores one full bundle, its tile and their roots. @returns the first indexes of its batches */
async function storeBundle(
  { table, objects }: LogServices,
  org: OrganizationId,
  index: number,
  roots: readonly Buffer[],
): Promise<{ firsts: number[] }> {
  const { firsts, entries } = await readBatches(table, org, index * TILE_WIDTH, (index + 1) * TILE_WIDTH);
  if (entries.length !== TILE_WIDTH)
    throw new LogDiffers(org, `bundle ${index} has ${entries.length} entries in the table`);
  const leaves = entries.map(leafHash);
  if (!roots[0]?.equals(rootOfLeaves(leaves))) {
    throw new LogDiffers(org, `the entries of bundle ${index} in the table are not those that were published`);
  }
  const width = TILE_WIDTH;
  await Promise.all([
    objects.putLogObject(org, tileName({ level: 'entries', index, width }), encodeBundle(entries)),
    objects.putLogObject(org, tileName({ level: 0, index, width }), encodeTile(leaves)),
  ]);
  await storeRoots(table, org, index, roots);
  return { firsts };
}

/** Stores the tiles above level 0 that became full when the log grew from `since` to `size` entries. */
async function storeUpperTiles(
  { table, objects }: LogServices,
  org: OrganizationId,
  [since, size]: readonly [number, number],
  full: BundleRoots,
): Promise<void> {
  for (let level = 1; tileWidth(size, level, 0) === TILE_WIDTH; level += 1) {
    const span = TILE_WIDTH ** (level + 1);
    for (let index = Math.floor(since / span); tileWidth(size, level, index) === TILE_WIDTH; index += 1) {
      const root = rootsOf(org, full, ((index + 1) * span) / TILE_WIDTH - 1)[TILE_HEIGHT * level];
      const hashes = await readTileRoots(table, org, level - 1, index * TILE_WIDTH, TILE_WIDTH);
      if (!root?.equals(rootOfLeaves(hashes))) {
        throw new LogDiffers(org, `the stored roots of tile ${level}/${index} are not those that were published`);
      }
      await objects.putLogObject(org, tileName({ level, index, width: TILE_WIDTH }), encodeTile(hashes));
      await storeTileRoot(table, org, level, index, root);
    }
  }
}
