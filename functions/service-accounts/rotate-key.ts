import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { RotatedKeyOut, RotationRequest } from '#shared/organizations/key-forms.ts';
import { rotateKey as rotate } from '#shared/organizations/manage-keys.ts';
import { accountNotFound, keyNotFound } from '#shared/organizations/rules/sentences.ts';
import { keyOwner, keyParams } from './managed-account.ts';

/** POST …/api-keys/{key_id}/rotate: gives a key a new secret under the same id (rules/organizations.md#rotation). */
export const rotateKey = endpoint({
  operation: 'rotateServiceAccountKey',
  method: 'POST',
  path: '/service-accounts/{org}/{name}/api-keys/{key_id}/rotate',
  summary: 'Rotate an API key of a service account',
  description:
    'Id and description stay. The old secret works until the end of its grace period or its own expiry, whichever is earlier.',
  access: 'snapshotter',
  managesAccess: true,
  params: z.object(keyParams),
  query: z.object({}),
  body: { kind: 'json', schema: RotationRequest, optional: true },
  success: { 201: RotatedKeyOut },
  makes: { at: '/service-accounts/{org}/{name}/api-keys/{key_id}', id: 'key_id' },
  errors: [accountNotFound, keyNotFound],
  uses: { writes: ['@KEY', '@KEYS', 'AUDIT'] },
  handler: (request, services) =>
    rotate(keyOwner(request, services.table, { givesSecret: true }), request.params.key_id, request.body, services),
});
