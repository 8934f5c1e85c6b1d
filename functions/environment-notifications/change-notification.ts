import * as z from 'zod';
import { checkTargets } from '#functions/forms/targets.ts';
import type { Services } from '#functions/services.ts';
import { CHANGE_NOTIFICATION, changeNotification as change } from '#shared/environments/actions/save-notification.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, ok } from '#shared/http/written.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { COLLECTION, givenNotification, NotificationReport, notificationParams } from './notification-request.ts';

/** Replaces the content of the notification with this number (`rules/notifications.md#saving`). */
export const changeNotification = endpoint({
  operation: 'changeEnvironmentNotification',
  method: 'PUT',
  path: `${COLLECTION}/{notification_number}`,
  summary: 'Replace the content of an environment notification, its name included',
  description: 'The number stays. Targets that answered 410 are enabled again.',
  access: 'member',
  params: z.object(notificationParams),
  body: { kind: 'json', schema: NotificationReport },
  success: { 200: z.literal('OK') },
  makes: { at: `${COLLECTION}/{notification_number}`, id: 'notification_number' },
  errors: [actionNotFound],
  checks: [({ sent }, { guard }) => checkTargets(sent, guard)],
  uses: CHANGE_NOTIFICATION,
  handler: (request, stores: Pick<Services, 'table' | 'clock' | 'guard'>) => {
    const given = givenNotification(request.body, stores.guard);
    return answerWrite(
      request,
      (by) => change(stores, by, request.params.notification_number, given),
      (_: number) => ok(200, {}),
    );
  },
});
