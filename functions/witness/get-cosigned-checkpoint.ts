import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { nothingCosigned } from '#shared/log/rules/sentences.ts';
import { GET_COSIGNED, getCosignedCheckpoint as get } from '#shared/log/witness/read-witness.ts';

/** GET /witness/{log}/checkpoint: what the witness cosigned last, for monitors (rules/log.md#monitoring-of-a-witness). */
export const getCosignedCheckpoint = endpoint({
  operation: 'getCosignedCheckpoint',
  method: 'GET',
  path: '/witness/{log}/checkpoint',
  summary: 'The checkpoint of a log that the witness cosigned last',
  access: 'public',
  params: z.object({ log: z.string().meta({ description: 'SHA-256 of the origin of the log, in lower-case hex' }) }),
  produces: 'text',
  success: { 200: z.string() },
  errors: [nothingCosigned],
  uses: GET_COSIGNED,
  handler: async ({ params }, stores: Pick<Stores, 'table'>) => ({
    status: 200,
    body: await get(stores, params.log),
  }),
});
