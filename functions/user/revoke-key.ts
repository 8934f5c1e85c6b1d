import * as z from 'zod';
import { keyRevoked } from '#functions/forms/key-forms.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { REVOKE_KEY, revokeKey } from '#shared/organizations/keys/revoke-key.ts';
import { keyNotFound } from '#shared/organizations/rules/sentences.ts';

/** DELETE /user/api-keys/{key_id}: revokes a personal key (rules/organizations.md#revocation). */
export const revokePersonalKey = endpoint({
  operation: 'revokePersonalKey',
  method: 'DELETE',
  path: '/user/api-keys/{key_id}',
  summary: 'Revoke a personal API key',
  description:
    'All secrets of the key end, also those in their grace period. The change takes effect everywhere within 30 seconds.',
  access: 'user',
  managesAccess: true,
  success: { 200: z.literal('revoked') },
  errors: [keyNotFound],
  uses: REVOKE_KEY,
  handler: async ({ params, ...by }, stores: Pick<Stores, 'table' | 'clock'>) =>
    keyRevoked(await revokeKey(stores, by, params.key_id)),
});
