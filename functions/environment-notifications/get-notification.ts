import * as z from 'zod';
import { actionOut, NotificationOut } from '#functions/forms/action-output.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { getAction } from '#shared/environments/actions/read-actions.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { COLLECTION, notificationParams } from './notification-request.ts';

/** Answers one environment notification (`rules/notifications.md#action-record`). */
export const getNotification = endpoint({
  operation: 'getEnvironmentNotification',
  method: 'GET',
  path: `${COLLECTION}/{notification_number}`,
  summary: 'Get an environment notification by number',
  access: 'reader',
  row: 10,
  params: z.object(notificationParams),
  success: { 200: NotificationOut },
  errors: [actionNotFound],
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const number = request.params.notification_number;
    return { status: 200, body: actionOut(await getAction(stores, request.org, { number, kind: 'env' }), request) };
  },
});
