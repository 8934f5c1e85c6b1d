import { keyRotated, RotatedKeyOut, RotationRequest, rotationOf } from '#functions/forms/key-forms.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { ROTATE_KEY, rotateKey as rotate } from '#shared/organizations/keys/rotate-key.ts';
import { accountNotFound, keyNotFound } from '#shared/organizations/rules/sentences.ts';

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
  body: { kind: 'json', schema: RotationRequest, optional: true },
  success: { 201: RotatedKeyOut },
  makes: { at: '/service-accounts/{org}/{name}/api-keys/{key_id}', id: 'key_id' },
  errors: [accountNotFound, keyNotFound],
  uses: ROTATE_KEY,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { body, params, role, credential } = request;
    return answerWrite(
      request,
      (by) => rotate(stores, { ...by, role, credential, account: params.name }, params.key_id, rotationOf(body)),
      keyRotated,
    );
  },
});
