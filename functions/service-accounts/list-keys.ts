import * as z from 'zod';
import { KeyOut, keyOut } from '#functions/forms/key-forms.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { listKeys as list } from '#shared/organizations/keys/read-keys.ts';
import { accountNotFound } from '#shared/organizations/rules/sentences.ts';

/** GET …/api-keys: the active keys of a service account, the oldest first (rules/organizations.md#key-endpoints). */
export const listKeys = endpoint({
  operation: 'listServiceAccountKeys',
  method: 'GET',
  path: '/service-accounts/{org}/{name}/api-keys',
  summary: 'List the active API keys of a service account',
  access: 'reader',
  success: { 200: z.array(KeyOut) },
  errors: [accountNotFound],
  handler: async ({ params, org }, stores: Pick<Stores, 'table' | 'clock'>) => ({
    status: 200,
    body: (await list(stores, { org, account: params.name })).map(keyOut),
  }),
});
