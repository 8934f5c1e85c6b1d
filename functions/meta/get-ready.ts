import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';

/** Answers with plain text, without authentication (rules/requests.md#ready). */
export const getReady = endpoint({
  operation: 'getReady',
  method: 'GET',
  path: 'root:/ready',
  summary: 'Says that the service is up',
  access: 'public',
  produces: 'text',
  uses: { reads: ['@STATE'] },
  success: { 200: z.literal('OK') },
  handler: async () => ({ status: 200, body: 'OK' as const }),
});
