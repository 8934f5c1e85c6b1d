import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { actionParams } from './action-params.ts';
import { SecretOut, secretOrRefuse } from './secret-output.ts';

/** Answers the secrets with which receivers verify webhooks (`rules/notifications.md#signing-secret`). */
export const getSigningSecret = endpoint({
  operation: 'getSigningSecret',
  method: 'GET',
  path: '/actions/{org}/{action_number}/signing-secret',
  summary: 'Get the secret that signs the webhooks of an action',
  access: 'admin',
  managesAccess: true,
  params: z.object(actionParams),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: SecretOut },
  errors: [actionNotFound],
  uses: { reads: ['ACTIONSECRET'] },
  handler: async ({ params, org }, services) => ({
    status: 200,
    body: await secretOrRefuse(services, org, params.action_number),
  }),
});
