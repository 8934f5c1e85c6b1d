import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { KeyOut } from '#shared/organizations/key-forms.ts';
import { findKey } from '#shared/organizations/manage-keys.ts';
import { accountNotFound, keyNotFound } from '#shared/organizations/rules/sentences.ts';
import { accountOrRefuse, keyListOrRefuse, keyParams } from './managed-account.ts';

/** GET …/api-keys/{key_id}: one active key of a service account (rules/organizations.md#key-endpoints). */
export const getKey = endpoint({
  operation: 'getServiceAccountKey',
  method: 'GET',
  path: '/service-accounts/{org}/{name}/api-keys/{key_id}',
  summary: 'Get an active API key of a service account',
  access: 'reader',
  params: z.object(keyParams),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: KeyOut },
  errors: [accountNotFound, keyNotFound],
  handler: async ({ params, org }, services) => {
    const keys = keyListOrRefuse(org, params.name);
    const [key] = await Promise.all([
      findKey(keys, params.key_id, services),
      accountOrRefuse(services.table, org, params.name),
    ]);
    if (!key) throw keyNotFound();
    return { status: 200, body: key };
  },
});
