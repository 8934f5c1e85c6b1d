import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOk } from '#shared/http/written.ts';
import { DELETE_ACTION, deleteAction } from '#shared/notifications/change-action.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { COLLECTION, notificationParams } from './notification-request.ts';

/** Deletes an environment notification (`rules/notifications.md#deleting`). */
export const deleteNotification = endpoint({
  operation: 'deleteEnvironmentNotification',
  method: 'DELETE',
  path: `${COLLECTION}/{notification_number}`,
  summary: 'Delete an environment notification',
  description: 'Pending deliveries to its targets are discarded.',
  access: 'member',
  params: z.object(notificationParams),
  success: { 200: z.literal('OK') },
  errors: [actionNotFound],
  uses: DELETE_ACTION,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    answerOk(request, (by) => deleteAction(stores, by, { number: request.params.notification_number, kind: 'env' })),
});
