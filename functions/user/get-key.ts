import { KeyOut, keyOut } from '#functions/forms/key-forms.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { getKey } from '#shared/organizations/keys/read-keys.ts';
import { keyNotFound } from '#shared/organizations/rules/sentences.ts';

/** GET /user/api-keys/{key_id}: one active personal key (rules/organizations.md#key-endpoints). */
export const getPersonalKey = endpoint({
  operation: 'getPersonalKey',
  method: 'GET',
  path: '/user/api-keys/{key_id}',
  summary: 'Get an active personal API key',
  access: 'user',
  success: { 200: KeyOut },
  errors: [keyNotFound],
  handler: async ({ caller, params }, stores: Pick<Stores, 'table' | 'clock'>) => ({
    status: 200,
    body: keyOut(await getKey(stores, caller, params.key_id)),
  }),
});
