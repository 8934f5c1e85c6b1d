import * as z from 'zod';
import { integerField } from '#shared/http/query-fields.ts';

/** Path of the notifications of an organization. */
export const COLLECTION = '/organizations/{org}/environments_notifications';

/**
 * Path parameters of one notification. A text that is no positive integer is 400, a number that no notification has
 * is 404 (`rules/notifications.md#kinds-and-numbers`).
 */
export const notificationParams = {
  org: z.string(),
  notification_number: integerField({ min: 1 }).meta({ description: 'Number of the notification, from 1 on' }),
};
