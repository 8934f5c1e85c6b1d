import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { KeyOut } from '#shared/organizations/key-forms.ts';
import { findKey } from '#shared/organizations/manage-keys.ts';
import { keyListOf } from '#shared/organizations/records/api-keys.ts';
import { keyNotFound } from '#shared/organizations/rules/sentences.ts';
import { callingUser } from './key-owner.ts';

/** GET /user/api-keys/{key_id}: one active personal key (rules/organizations.md#key-endpoints). */
export const getPersonalKey = endpoint({
  operation: 'getPersonalKey',
  method: 'GET',
  path: '/user/api-keys/{key_id}',
  summary: 'Get an active personal API key',
  access: 'user',
  params: z.object({ key_id: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: KeyOut },
  errors: [keyNotFound],
  handler: async ({ caller, params }, services) => {
    const key = await findKey(keyListOf(callingUser(caller)), params.key_id, services);
    if (!key) throw keyNotFound();
    return { status: 200, body: key };
  },
});
