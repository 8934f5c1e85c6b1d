import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { KeyOut } from '#shared/organizations/key-forms.ts';
import { listKeys as list } from '#shared/organizations/manage-keys.ts';
import { keyListOf } from '#shared/organizations/records/api-keys.ts';
import { callingUser } from './key-owner.ts';

/** GET /user/api-keys: the active personal keys, the oldest first (rules/organizations.md#key-endpoints). */
export const listPersonalKeys = endpoint({
  operation: 'listPersonalKeys',
  method: 'GET',
  path: '/user/api-keys',
  summary: 'List the active personal API keys',
  access: 'user',
  params: z.object({}),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.array(KeyOut) },
  errors: [],
  handler: async ({ caller }, services) => ({
    status: 200,
    body: await list(keyListOf(callingUser(caller)), services),
  }),
});
