import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { getCheckpoint as get } from '#shared/log/read-log.ts';
import { noCheckpoint } from '#shared/log/rules/sentences.ts';

/** GET /log/{org}/checkpoint: the newest checkpoint as a signed note (rules/log.md#serving). */
export const getCheckpoint = endpoint({
  operation: 'getCheckpoint',
  method: 'GET',
  path: '/log/{org}/checkpoint',
  summary: 'The newest signed checkpoint of the log',
  description: 'A signed note: origin, size and root of the tree, then the signatures of the log and of witnesses.',
  access: 'reader',
  openWith: 'public_log',
  produces: 'text',
  success: { 200: z.string() },
  errors: [noCheckpoint],
  handler: async ({ org }, stores: Pick<Stores, 'table'>) => ({ status: 200, body: await get(stores, org) }),
});
