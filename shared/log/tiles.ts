import type { OrganizationId } from '#shared/base/ids.ts';
import type { Reading } from '#shared/bodies/stores.ts';
import type { Subtree } from '#shared/tlog/proofs.ts';
import {
  decodeBundle,
  decodeTile,
  type HashTile,
  TILE_WIDTH,
  type Tile,
  tilePath,
  tileWidth,
} from '#shared/tlog/tiles.ts';
import { leafHash } from '#shared/tlog/tree.ts';
import { readBatches, readRoots, readTileRoots } from './records/log-batches.ts';

/** Reads the tiles of a log of one size (rules/log.md#read-tiles). */
interface LogTiles {
  /** Returns the hashes of a tile. It fits `readTile` of proofs. @throws RangeError if the size has no such tile */
  hashes(tile: HashTile): Promise<Buffer[]>;
  /** Returns roots of full subtrees that are stored. It fits `readRoots` of proofs. */
  roots(subtrees: readonly Subtree[]): Promise<(Buffer | null)[]>;
  /** Returns the first `width` entries of a bundle. @throws RangeError if the size has no such bundle */
  entries(index: number, width: number): Promise<Buffer[]>;
}

/** The name of a full tile or bundle in the bucket, below the log of the organization. */
export const tileName = (tile: Tile): string => `tile/${tilePath(tile)}`;

/**
 * Returns a reader of the tiles of a log. Full tiles come from the bucket. Others are computed from batches and from
 * roots of full tiles.
 *
 * @param size the size of a published checkpoint
 */
export function logTiles({ table, objects }: Reading, org: OrganizationId, size: number): LogTiles {
  const requireWidth = (tile: Tile) => {
    if (tile.width >= 1 && tile.width <= tileWidth(size, tile.level, tile.index)) return;
    throw new RangeError(`A log of size ${size} has no tile ${tilePath(tile)}`);
  };
  const isFull = (tile: Tile) => tileWidth(size, tile.level, tile.index) === TILE_WIDTH;
  const readFull = async (tile: Tile) => {
    const name = tileName({ ...tile, width: TILE_WIDTH });
    const bytes = await objects.getLogObject(org, name);
    if (!bytes) throw new Error(`The bucket has no object ${name} of the log of organization ${org}`);
    return bytes;
  };
  const entries = async (index: number, width: number): Promise<Buffer[]> => {
    const tile: Tile = { level: 'entries', index, width };
    requireWidth(tile);
    if (!isFull(tile)) {
      const from = index * TILE_WIDTH;
      const read = await readBatches(table, org, from, from + width);
      if (read.entries.length >= width) return read.entries.slice(0, width);
    }
    // A bundle that was partial at this size may be full now, and its batches may have expired.
    return decodeBundle(await readFull(tile), TILE_WIDTH).slice(0, width);
  };
  const hashes = async (tile: HashTile): Promise<Buffer[]> => {
    requireWidth(tile);
    const { level, index, width } = tile;
    if (isFull(tile)) return decodeTile(await readFull(tile), TILE_WIDTH).slice(0, width);
    if (level === 0) return (await entries(index, width)).map(leafHash);
    return readTileRoots(table, org, level - 1, index * TILE_WIDTH, width);
  };
  return { entries, hashes, roots: (subtrees) => readRoots(table, org, subtrees) };
}
