import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { KeyOut } from '#shared/organizations/key-forms.ts';
import { findKey } from '#shared/organizations/manage-keys.ts';
import { accountNotFound, keyNotFound } from '#shared/organizations/rules/sentences.ts';
import { accountOrRefuse, keyParams, keysOrRefuse } from './managed-account.ts';

/** GET /service-accounts/{org}/{name}/api-keys/{key_id} (wire admin §7.2). */
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
    const keys = keysOrRefuse(org, params.name);
    const [key] = await Promise.all([
      findKey(keys, params.key_id, services),
      accountOrRefuse(services.table, org, params.name),
    ]);
    if (!key) throw keyNotFound();
    return { status: 200, body: key };
  },
});
