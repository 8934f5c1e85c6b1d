import * as z from 'zod';
import type { Reading } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { GET_TILE, getTile as get } from '#shared/log/read-log.ts';
import { noTile } from '#shared/log/rules/sentences.ts';

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
  produces: 'bytes',
  success: { 200: z.instanceof(Buffer).meta({ override: { type: 'string', format: 'binary' } }) },
  errors: [noTile],
  uses: GET_TILE,
  handler: async ({ org, params }, stores: Reading) => ({
    status: 200,
    body: await get(stores, org, params.path),
    headers: KEPT_FOR_EVER,
  }),
});
