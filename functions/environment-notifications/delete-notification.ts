import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { actionNotFound } from '#shared/http/sentences.ts';
import { ok, written } from '#shared/http/written.ts';
import { actionDeleted } from '#shared/notifications/action-audit.ts';
import { deleteAction } from '#shared/store/action-writes.ts';
import { auditOf } from '#shared/store/audit.ts';
import { claimWrites } from '#shared/store/idempotency.ts';
import { retrying } from '#shared/store/retry.ts';
import { COLLECTION, notificationOrRefuse, notificationParams } from './notification-params.ts';

/** DELETE …/environments_notifications/{notification_number}: the number is never given again (semantics §10.1). */
export const deleteNotification = endpoint({
  operation: 'deleteEnvironmentNotification',
  method: 'DELETE',
  path: `${COLLECTION}/{notification_number}`,
  summary: 'Delete an environment notification',
  description: 'What is still to be sent to its targets is discarded.',
  access: 'member',
  params: z.object(notificationParams),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('OK') },
  errors: [actionNotFound],
  uses: { writes: ['ACTION', 'AUDIT'], removes: ['ACTIONNAME', 'ACTIONSECRET'] },
  handler: async (request, { table, clock }) => {
    const { params, org, idempotency } = request;
    const answer = ok(200);
    const outcome = await retrying(async () => {
      const notification = await notificationOrRefuse(table, org, params.notification_number);
      const now = clock.now();
      const audited = auditOf(request, actionDeleted(notification));
      return deleteAction(table, org.id, notification, now, [...claimWrites(idempotency, answer, now), audited]);
    });
    return written(answer, outcome);
  },
});
