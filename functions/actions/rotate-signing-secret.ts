import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import {
  getSigningSecret,
  ROTATE_SECRET,
  rotateSigningSecret as rotate,
  type SigningSecrets,
} from '#shared/notifications/signing-secret.ts';
import { actionParams } from './action-params.ts';
import { SecretOut, secretOut } from './get-signing-secret.ts';

/** Makes a new secret. The previous secret signs too for 24 hours (`rules/notifications.md#rotation`). */
export const rotateSigningSecret = endpoint({
  operation: 'rotateSigningSecret',
  method: 'POST',
  path: '/actions/{org}/{action_number}/signing-secret/rotate',
  summary: 'Make a new secret that signs the webhooks of an action',
  description:
    'For 24 hours webhooks carry a signature by the previous secret, too. A repeated request with the same `Idempotency-Key` gets the secrets as they are then.',
  access: 'admin',
  managesAccess: true,
  params: z.object(actionParams),
  success: { 200: SecretOut },
  errors: [actionNotFound],
  uses: ROTATE_SECRET,
  repeatedBody: async ({ params, org }, stores: Pick<Stores, 'table' | 'clock'>) =>
    secretOut(await getSigningSecret(stores, org, params.action_number)),
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    answerWrite(
      request,
      (by) => rotate(stores, by, request.params.action_number),
      (secrets: SigningSecrets) => ({ status: 200, body: secretOut(secrets) }),
      () => ({ status: 200, body: null }),
    ),
});
