import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { RotatedKeyOut, RotationRequest } from '#shared/organizations/key-forms.ts';
import { rotateKey as rotate } from '#shared/organizations/manage-keys.ts';
import { keyNotFound } from '#shared/organizations/rules/sentences.ts';
import { personalKeyOwner } from './key-owner.ts';

/** POST /user/api-keys/{key_id}/rotate: another secret under the same id (wire admin §7.2). */
export const rotatePersonalKey = endpoint({
  operation: 'rotatePersonalKey',
  method: 'POST',
  path: '/user/api-keys/{key_id}/rotate',
  summary: 'Rotate a personal API key',
  description: 'Id and description stay. The secret before works on until its grace or its own expiry ends.',
  access: 'user',
  params: z.object({ key_id: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: RotationRequest, optional: true },
  success: { 201: RotatedKeyOut },
  errors: [keyNotFound],
  uses: { writes: ['@KEY', '@KEYS', 'AUDIT'] },
  handler: (request, services) =>
    rotate(personalKeyOwner(request, services), request.params.key_id, request.body, services),
});
