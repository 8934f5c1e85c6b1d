import * as z from 'zod';
import { KeyOut, keyOut } from '#functions/forms/key-forms.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { listKeys } from '#shared/organizations/keys/read-keys.ts';

/** GET /user/api-keys: the active personal keys, the oldest first (rules/organizations.md#key-endpoints). */
export const listPersonalKeys = endpoint({
  operation: 'listPersonalKeys',
  method: 'GET',
  path: '/user/api-keys',
  summary: 'List the active personal API keys',
  access: 'user',
  success: { 200: z.array(KeyOut) },
  handler: async ({ caller }, stores: Pick<Stores, 'table' | 'clock'>) => ({
    status: 200,
    body: (await listKeys(stores, caller)).map(keyOut),
  }),
});
