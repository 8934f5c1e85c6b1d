import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOf } from '#shared/http/idempotency.ts';
import type { Services } from '#shared/http/services.ts';
import { secretRotated } from '#shared/notifications/action-audit.ts';
import { prepareSecret } from '#shared/notifications/records/action-secrets.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { mintSecret } from '#shared/notifications/rules/signature.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import { actionOrRefuse, actionParams } from './action-params.ts';
import { SecretOut, secretOrRefuse, secretOut } from './secret-output.ts';

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
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: SecretOut },
  errors: [actionNotFound],
  uses: { reads: ['ACTIONSECRET'], writes: ['ACTIONSECRET', 'AUDIT'] },
  repeatedBody: ({ params, org }, services: Pick<Services, 'table' | 'clock'>) =>
    secretOrRefuse(services, org, params.action_number),
  handler: async (request, services) => {
    const { table, clock } = services;
    const { params, org, idempotency } = request;
    const action = await actionOrRefuse(table, org, params.action_number);
    const secret = mintSecret();
    return retrying(async () => {
      const now = clock.now();
      const change = await prepareSecret(table, org.id, action.number, secret, now);
      if (!change) throw actionNotFound();
      const claim = claimWrites(idempotency, { status: 200, body: null }, now);
      const outcome = await table.transact<'again' | EarlierRequest>([
        ...claim,
        ...change.writes,
        auditOf(request, secretRotated(action)),
      ]);
      if (outcome === 'again') return outcome;
      if (outcome === 'done') return { status: 200, body: secretOut(change.secrets) };
      const { status } = answerOf(outcome);
      return { status, body: await secretOrRefuse(services, org, action.number) };
    });
  },
});
