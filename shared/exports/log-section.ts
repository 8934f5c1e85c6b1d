import type { OrganizationId } from '#shared/base/ids.ts';
import { readClaims } from '#shared/log/records/claims.ts';
import { logTiles } from '#shared/log/tiles.ts';
import type { Table } from '#shared/table/table.ts';
import { encodeBundle, encodeTile, newTiles, tilePath } from '#shared/tlog/tiles.ts';
import type { ExportContext } from './context.ts';
import type { Section } from './pages.ts';
import type { PinnedLog } from './records/exports.ts';

/**
 * Returns a reader of the indexes of entries in a log of the size that an export is pinned to. Entries behind that size
 * have no index, because the export does not prove them.
 */
export const pinnedIndexes =
  (table: Table, org: OrganizationId, log: PinnedLog): ExportContext['logIndexes'] =>
  async (subjects) => {
    const claims = await readClaims(table, org, subjects);
    return claims.map((claim) => (claim && claim.index < log.size ? claim.index : null));
  };

/** Tiles of one page. A tile has 8 KB, and a bundle up to about 130 KB. */
const TILES_AT_ONCE = 16;

/** The log at the size of the checkpoint: checkpoint, bundles and hash tiles (rules/exports.md#log-of-an-export). */
export const logSection: Section = {
  name: 'log',
  async *pages({ org, log, table, objects }, place) {
    const reader = logTiles({ table, objects }, org, log.size);
    if (place === null) {
      yield {
        lines: [],
        files: [{ path: 'data/log/checkpoint', bytes: Buffer.from(log.checkpoint) }],
        place: { key: 'tiles', range: 0, after: null },
      };
    }
    // Tiles are numbered in the order in which they are listed.
    for (let first = place?.range ?? 0; ; first += TILES_AT_ONCE) {
      const tiles = newTiles(0, log.size).drop(first).take(TILES_AT_ONCE).toArray();
      if (tiles.length === 0) return;
      const files = await Promise.all(
        tiles.map(async (tile) => {
          const { level, index, width } = tile;
          const bytes =
            level === 'entries'
              ? encodeBundle(await reader.entries(index, width))
              : encodeTile(await reader.hashes({ level, index, width }));
          return { path: `data/log/tile/${tilePath(tile)}`, bytes };
        }),
      );
      yield { lines: [], files, place: { key: 'tiles', range: first + tiles.length, after: null } };
    }
  },
};
