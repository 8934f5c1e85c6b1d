import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { revokeKey as revoke } from '#shared/organizations/manage-keys.ts';
import { keyNotFound } from '#shared/organizations/rules/sentences.ts';
import { personalKeyOwner } from './key-owner.ts';

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
  params: z.object({ key_id: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('revoked') },
  errors: [keyNotFound],
  uses: { writes: ['@KEY', 'AUDIT'], removes: ['@KEYS'] },
  handler: (request, services) => revoke(personalKeyOwner(request, services), request.params.key_id, services),
});
