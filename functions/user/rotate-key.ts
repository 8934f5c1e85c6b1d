import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { RotatedKeyOut, RotationRequest } from '#shared/organizations/key-forms.ts';
import { rotateKey as rotate } from '#shared/organizations/manage-keys.ts';
import { keyNotFound } from '#shared/organizations/rules/sentences.ts';
import { personalKeyOwner } from './key-owner.ts';

/** POST /user/api-keys/{key_id}/rotate: gives a personal key a new secret under the same id (rules/organizations.md#rotation). */
export const rotatePersonalKey = endpoint({
  operation: 'rotatePersonalKey',
  method: 'POST',
  path: '/user/api-keys/{key_id}/rotate',
  summary: 'Rotate a personal API key',
  description:
    'Id and description stay. The old secret works until the end of its grace period or its own expiry, whichever is earlier.',
  access: 'user',
  managesAccess: true,
  params: z.object({ key_id: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: RotationRequest, optional: true },
  success: { 201: RotatedKeyOut },
  makes: { at: '/user/api-keys/{key_id}', id: 'key_id' },
  errors: [keyNotFound],
  uses: { writes: ['@KEY', '@KEYS', 'AUDIT'] },
  handler: (request, services) =>
    rotate(personalKeyOwner(request, services), request.params.key_id, request.body, services),
});
