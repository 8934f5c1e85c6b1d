import { KeyOut, keyOut } from '#functions/forms/key-forms.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { getKey as get } from '#shared/organizations/keys/read-keys.ts';
import { accountNotFound, keyNotFound } from '#shared/organizations/rules/sentences.ts';

/** GET …/api-keys/{key_id}: one active key of a service account (rules/organizations.md#key-endpoints). */
export const getKey = endpoint({
  operation: 'getServiceAccountKey',
  method: 'GET',
  path: '/service-accounts/{org}/{name}/api-keys/{key_id}',
  summary: 'Get an active API key of a service account',
  access: 'reader',
  success: { 200: KeyOut },
  errors: [accountNotFound, keyNotFound],
  handler: async ({ params, org }, stores: Pick<Stores, 'table' | 'clock'>) => ({
    status: 200,
    body: keyOut(await get(stores, { org, account: params.name }, params.key_id)),
  }),
});
