import * as z from 'zod';
import { readUnarchivedNames } from '#shared/environments/records/environments.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { actionsOut, NotificationOut } from '#shared/notifications/action-output.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { COLLECTION, notificationOrRefuse, notificationParams } from './notification-params.ts';

/** Answers one environment notification (`rules/notifications.md#action-record`). */
export const getNotification = endpoint({
  operation: 'getEnvironmentNotification',
  method: 'GET',
  path: `${COLLECTION}/{notification_number}`,
  summary: 'Get an environment notification by number',
  access: 'reader',
  row: 10,
  params: z.object(notificationParams),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: NotificationOut },
  errors: [actionNotFound],
  handler: async (request, { table }) => {
    const notification = await notificationOrRefuse(table, request.org, request.params.notification_number);
    const [body] = await actionsOut(table, request, [notification], readUnarchivedNames);
    if (!body) throw actionNotFound();
    return { status: 200, body };
  },
});
