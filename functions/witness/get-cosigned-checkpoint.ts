import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { readWitnessed } from '#shared/log/records/witnessed.ts';
import { nothingCosigned } from '#shared/log/rules/sentences.ts';

/** GET /witness/{log}/checkpoint: what the witness cosigned last, for monitors (rules/log.md#monitoring-of-a-witness). */
export const getCosignedCheckpoint = endpoint({
  operation: 'getCosignedCheckpoint',
  method: 'GET',
  path: '/witness/{log}/checkpoint',
  summary: 'The checkpoint of a log that the witness cosigned last',
  access: 'public',
  params: z.object({ log: z.string().meta({ description: 'SHA-256 of the origin of the log, in lower-case hex' }) }),
  query: z.object({}),
  body: { kind: 'none' },
  produces: 'text',
  success: { 200: z.string() },
  errors: [nothingCosigned],
  uses: { reads: ['@WITNESS'] },
  handler: async ({ params }, { table }) => {
    const witnessed = /^[0-9a-f]{64}$/.test(params.log) ? await readWitnessed(table, params.log) : null;
    if (witnessed?.note === undefined) throw nothingCosigned();
    return { status: 200, body: witnessed.note };
  },
});
