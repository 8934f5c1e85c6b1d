import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { revokeKey as revoke } from '#shared/organizations/manage-keys.ts';
import { accountNotFound, keyNotFound } from '#shared/organizations/rules/sentences.ts';
import { keyOwner, keyParams } from './managed-account.ts';

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
  params: z.object(keyParams),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('revoked') },
  errors: [accountNotFound, keyNotFound],
  uses: { writes: ['@KEY', 'AUDIT'], removes: ['@KEYS'] },
  handler: (request, services) =>
    revoke(keyOwner(request, services.table, { givesSecret: false }), request.params.key_id, services),
});
