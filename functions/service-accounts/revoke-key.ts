import * as z from 'zod';
import { keyRevoked } from '#functions/forms/key-forms.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { REVOKE_KEY, revokeKey as revoke } from '#shared/organizations/keys/revoke-key.ts';
import { accountNotFound, keyNotFound } from '#shared/organizations/rules/sentences.ts';

/** DELETE …/api-keys/{key_id}: revokes a key of a service account (rules/organizations.md#revocation). */
export const revokeKey = endpoint({
  operation: 'revokeServiceAccountKey',
  method: 'DELETE',
  path: '/service-accounts/{org}/{name}/api-keys/{key_id}',
  summary: 'Revoke an API key of a service account',
  description:
    'All secrets of the key end, also those in their grace period. The change takes effect everywhere within 30 seconds.',
  access: 'snapshotter',
  managesAccess: true,
  success: { 200: z.literal('revoked') },
  errors: [accountNotFound, keyNotFound],
  uses: REVOKE_KEY,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { params, role, credential } = request;
    return answerWrite(
      request,
      (by) => revoke(stores, { ...by, role, credential, account: params.name }, params.key_id),
      keyRevoked,
    );
  },
});
