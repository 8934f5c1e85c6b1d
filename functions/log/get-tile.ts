import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { readCheckpoint } from '#shared/log/records/log-state.ts';
import { noTile } from '#shared/log/rules/sentences.ts';
import { type LogTiles, logTiles } from '#shared/log/tiles.ts';
import { encodeBundle, encodeTile, parseTilePath, type Tile, tileWidth } from '#shared/tlog/tiles.ts';

/**
 * A tile never changes. Only a log that is open to everybody answers with this header: the chain replaces it where a
 * credential was needed (rules/requests.md#caching). `private`, because the log belongs to its organization.
 */
const KEPT_FOR_EVER = { 'cache-control': 'private, max-age=31536000, immutable' };

/** GET /log/{org}/tile/{path+}: a tile of hashes or a bundle of entries (rules/log.md#serving). */
export const getTile = endpoint({
  operation: 'getTile',
  method: 'GET',
  path: '/log/{org}/tile/{path+}',
  summary: 'A tile of hashes, or a bundle of entries, of the log',
  description:
    'The path is `<level>/<index>` or `entries/<index>`, with `.p/<width>` at its end for a part of a tile. The index is written in groups of three digits, all but the last with `x` before it. Tiles that the newest checkpoint does not cover are 404.',
  access: 'reader',
  openWith: 'public_log',
  params: z.object({
    org: z.string(),
    path: z.string().meta({ description: 'Path of the tile: `0/x001/067`, `entries/000.p/12`' }),
  }),
  query: z.object({}),
  body: { kind: 'none' },
  produces: 'bytes',
  success: { 200: z.instanceof(Buffer).meta({ override: { type: 'string', format: 'binary' } }) },
  errors: [noTile],
  uses: { bucket: ['log:read'] },
  handler: async ({ org, params }, services) => {
    const tile = parseTilePath(params.path);
    const checkpoint = tile && (await readCheckpoint(services.table, org.id));
    const size = checkpoint?.range.size ?? 0;
    if (!tile || tile.width > tileWidth(size, tile.level, tile.index)) {
      throw noTile({ org: org.name, path: params.path });
    }
    return { status: 200, body: await bytesOf(logTiles(services, org.id, size), tile), headers: KEPT_FOR_EVER };
  },
});

const bytesOf = async (tiles: LogTiles, { level, index, width }: Tile): Promise<Buffer> =>
  level === 'entries'
    ? encodeBundle(await tiles.entries(index, width))
    : encodeTile(await tiles.hashes({ level, index, width }));
