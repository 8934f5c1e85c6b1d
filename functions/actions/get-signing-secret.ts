import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { readSecrets } from '#shared/notifications/records/action-secrets.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { actionOrRefuse, actionParams } from './action-params.ts';
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
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: SecretOut },
  errors: [actionNotFound],
  uses: { reads: ['ACTIONSECRET'] },
  handler: async ({ params, org }, { table, clock }) => {
    const { number } = await actionOrRefuse(table, org, params.action_number);
    const secrets = await readSecrets(table, org.id, number, clock.now());
    // The action was deleted between the two reads.
    if (!secrets) throw actionNotFound();
    return { status: 200, body: secretOut(secrets) };
  },
});
