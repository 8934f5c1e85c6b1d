import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOf } from '#shared/http/idempotency.ts';
import { secretRotated } from '#shared/notifications/action-audit.ts';
import { prepareSecret } from '#shared/notifications/records/action-secrets.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { mintSecret } from '#shared/notifications/rules/signature.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import { actionOrRefuse, actionParams } from './action-params.ts';
import { SecretOut, secretOut } from './secret-output.ts';

/** Makes a new secret. The previous secret signs too for 24 hours (`rules/notifications.md#rotation`). */
export const rotateSigningSecret = endpoint({
  operation: 'rotateSigningSecret',
  method: 'POST',
  path: '/actions/{org}/{action_number}/signing-secret/rotate',
  summary: 'Make a new secret that signs the webhooks of an action',
  description: 'For 24 hours webhooks carry a signature by the previous secret, too.',
  access: 'admin',
  managesAccess: true,
  params: z.object(actionParams),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: SecretOut },
  errors: [actionNotFound],
  uses: { reads: ['ACTIONSECRET'], writes: ['ACTIONSECRET', 'AUDIT'] },
  handler: async (request, { table, clock }) => {
    const { params, org, idempotency } = request;
    const action = await actionOrRefuse(table, org, params.action_number);
    const secret = mintSecret();
    return retrying(async () => {
      const now = clock.now();
      const change = await prepareSecret(table, org.id, action.number, secret, now);
      if (!change) throw actionNotFound();
      const answer = { status: 200, body: secretOut(change.secrets) };
      const claim = claimWrites(idempotency, answer, now);
      const outcome = await table.transact<'again' | EarlierRequest>([
        ...claim,
        ...change.writes,
        auditOf(request, secretRotated(action)),
      ]);
      if (outcome === 'again') return outcome;
      return outcome === 'done' ? answer : { status: 200, body: SecretOut.parse(answerOf(outcome).body) };
    });
  },
});
