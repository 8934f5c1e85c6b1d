import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { KeyOut } from '#shared/organizations/key-forms.ts';
import { listKeys as list } from '#shared/organizations/manage-keys.ts';
import { accountNotFound } from '#shared/organizations/rules/sentences.ts';
import { accountOrRefuse, accountParams, keyListOrRefuse } from './managed-account.ts';

/** GET …/api-keys: the active keys of a service account, the oldest first (rules/organizations.md#key-endpoints). */
export const listKeys = endpoint({
  operation: 'listServiceAccountKeys',
  method: 'GET',
  path: '/service-accounts/{org}/{name}/api-keys',
  summary: 'List the active API keys of a service account',
  access: 'reader',
  params: z.object(accountParams),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.array(KeyOut) },
  errors: [accountNotFound],
  handler: async ({ params, org }, services) => {
    const keys = keyListOrRefuse(org, params.name);
    const [body] = await Promise.all([list(keys, services), accountOrRefuse(services.table, org, params.name)]);
    return { status: 200, body };
  },
});
