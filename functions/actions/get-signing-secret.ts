import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { getSigningSecret as get, READ_SECRETS } from '#shared/notifications/signing-secret.ts';
import { actionParams } from './action-params.ts';
import { SecretOut, secretOut } from './secret-output.ts';

/** Answers the secrets with which receivers verify webhooks (`rules/notifications.md#signing-secret`). */
export const getSigningSecret = endpoint({
  operation: 'getSigningSecret',
  method: 'GET',
  path: '/actions/{org}/{action_number}/signing-secret',
  summary: 'Get the secret that signs the webhooks of an action',
  access: 'admin',
  managesAccess: true,
  params: z.object(actionParams),
  success: { 200: SecretOut },
  errors: [actionNotFound],
  uses: READ_SECRETS,
  handler: async ({ params, org }, stores: Pick<Stores, 'table' | 'clock'>) => ({
    status: 200,
    body: secretOut(await get(stores, org, params.action_number)),
  }),
});
