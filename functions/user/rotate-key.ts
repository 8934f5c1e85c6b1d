import { keyRotated, RotatedKeyOut, RotationRequest, rotationOf } from '#functions/forms/key-forms.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ROTATE_KEY, rotateKey } from '#shared/organizations/keys/rotate-key.ts';
import { keyNotFound } from '#shared/organizations/rules/sentences.ts';

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
  body: { kind: 'json', schema: RotationRequest, optional: true },
  success: { 201: RotatedKeyOut },
  makes: { at: '/user/api-keys/{key_id}', id: 'key_id' },
  errors: [keyNotFound],
  uses: ROTATE_KEY,
  handler: async ({ body, params, ...by }, stores: Pick<Stores, 'table' | 'clock'>) =>
    keyRotated(await rotateKey(stores, by, params.key_id, rotationOf(body))),
});
