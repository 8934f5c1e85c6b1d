import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { getSigningSecret as get, READ_SECRETS, type SigningSecrets } from '#shared/notifications/signing-secret.ts';
import { actionParams } from './action-params.ts';

/** The secrets that sign an action's webhooks (`rules/notifications.md#signing-secret`). */
export const SecretOut = z
  .object({
    secret: z.string().describe('The secret that webhooks are signed with'),
    previous_secret: z.string().nullable().meta({ description: 'Signs too, until it expires' }),
    previous_expires_at: z.number().meta({ description: '0 where there is no previous secret' }),
  })
  .meta({ id: 'SigningSecret' });

export const secretOut = ({ secret, previous }: SigningSecrets): z.input<typeof SecretOut> => ({
  secret,
  previous_secret: previous?.secret ?? null,
  previous_expires_at: previous ? toSeconds(previous.until) : 0,
});

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
