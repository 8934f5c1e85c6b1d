import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { revokeKey as revoke } from '#shared/organizations/manage-keys.ts';
import { accountNotFound, keyNotFound } from '#shared/organizations/rules/sentences.ts';
import { keyOwner, keyParams } from './managed-account.ts';

/** DELETE /service-accounts/{org}/{name}/api-keys/{key_id} (wire admin §7.2). */
export const revokeKey = endpoint({
  operation: 'revokeServiceAccountKey',
  method: 'DELETE',
  path: '/service-accounts/{org}/{name}/api-keys/{key_id}',
  summary: 'Revoke an API key of a service account',
  description: 'All its secrets end at once, those in their grace among them; everywhere within 30 seconds.',
  access: 'snapshotter',
  params: z.object(keyParams),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('revoked') },
  errors: [accountNotFound, keyNotFound],
  uses: { writes: ['@KEY', 'AUDIT'], removes: ['@KEYS'] },
  handler: (request, services) =>
    revoke(keyOwner(request, services.table, { givesSecret: false }), request.params.key_id, services),
});
