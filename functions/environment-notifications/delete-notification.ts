import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { DELETE_ACTION, deleteFound } from '#shared/notifications/delete-action.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
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
  uses: DELETE_ACTION,
  handler: (request, services) =>
    deleteFound(request, services, () =>
      notificationOrRefuse(services.table, request.org, request.params.notification_number),
    ),
});
