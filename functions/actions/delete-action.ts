import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { actionNotFound } from '#shared/http/sentences.ts';
import { ok, written } from '#shared/http/written.ts';
import { actionDeleted } from '#shared/notifications/action-audit.ts';
import { deleteAction as remove } from '#shared/store/action-writes.ts';
import { auditOf } from '#shared/store/audit.ts';
import { claimWrites } from '#shared/store/idempotency.ts';
import { retrying } from '#shared/store/retry.ts';
import { actionOrRefuse, actionParams } from './action-params.ts';

/** DELETE /actions/{org}/{action_number}: both kinds; the number is never given again (semantics §10.1). */
export const deleteAction = endpoint({
  operation: 'deleteAction',
  method: 'DELETE',
  path: '/actions/{org}/{action_number}',
  summary: 'Delete a flow action or an environment notification',
  description: 'What is still to be sent to its targets is discarded.',
  access: 'member',
  params: z.object(actionParams),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('OK') },
  errors: [actionNotFound],
  uses: { writes: ['ACTION', 'AUDIT'], removes: ['ACTIONNAME', 'ACTIONSECRET'] },
  handler: async (request, { table, clock }) => {
    const { params, org, idempotency } = request;
    const answer = ok(200);
    const outcome = await retrying(async () => {
      const action = await actionOrRefuse(table, org, params.action_number);
      const now = clock.now();
      const audited = auditOf(request, actionDeleted(action));
      return remove(table, org.id, action, now, [...claimWrites(idempotency, answer, now), audited]);
    });
    return written(answer, outcome);
  },
});
