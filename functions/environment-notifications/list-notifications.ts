import * as z from 'zod';
import { listedActionOut, NotificationOut } from '#functions/forms/action-output.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { listActions } from '#shared/environments/actions/read-actions.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { COLLECTION } from './notification-request.ts';

/** Answers a bare array of environment notifications, by number (`rules/notifications.md#reading-actions`). */
export const listNotifications = endpoint({
  operation: 'listEnvironmentNotifications',
  method: 'GET',
  path: COLLECTION,
  summary: 'List the environment notifications of an organization',
  access: 'reader',
  params: z.object({ org: z.string() }),
  success: { 200: z.array(NotificationOut) },
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const notifications = await listActions(stores, request.org, 'env');
    return { status: 200, body: notifications.map(listedActionOut('environment-notifications', request)) };
  },
});
