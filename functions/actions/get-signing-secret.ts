import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { readSecrets } from '#shared/notifications/records/action-secrets.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { actionOrRefuse, actionParams } from './action-params.ts';
import { SecretOut, secretOut } from './secret-output.ts';

/** GET …/signing-secret: what receivers verify webhooks with (design §6). */
export const getSigningSecret = endpoint({
  operation: 'getSigningSecret',
  method: 'GET',
  path: '/actions/{org}/{action_number}/signing-secret',
  summary: 'Get the secret that webhooks of an action are signed with',
  access: 'admin',
  params: z.object(actionParams),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: SecretOut },
  errors: [actionNotFound],
  handler: async ({ params, org }, { table, clock }) => {
    const { number } = await actionOrRefuse(table, org, params.action_number);
    const secrets = await readSecrets(table, org.id, number, clock.now());
    // Between the two reads the action was deleted.
    if (!secrets) throw actionNotFound();
    return { status: 200, body: secretOut(secrets) };
  },
});
