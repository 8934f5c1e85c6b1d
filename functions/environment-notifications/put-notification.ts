import * as z from 'zod';
import { checkTargets } from '#functions/forms/targets.ts';
import type { Services } from '#functions/services.ts';
import { PUT_NOTIFICATION, putNotification as put } from '#shared/environments/actions/save-notification.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, ok } from '#shared/http/written.ts';
import { COLLECTION, givenNotification, NotificationReport } from './notification-request.ts';

/** Creates the environment notification with this name, or replaces its content (`rules/notifications.md#saving`). */
export const putNotification = endpoint({
  operation: 'putEnvironmentNotification',
  method: 'PUT',
  path: COLLECTION,
  summary: 'Create an environment notification, or update the one with this name',
  description: 'The number stays over all updates. Targets that answered 410 are enabled again.',
  access: 'member',
  params: z.object({ org: z.string() }),
  body: { kind: 'json', schema: NotificationReport },
  success: { 200: z.literal('OK') },
  makes: { at: `${COLLECTION}/{notification_number}`, id: 'notification_number' },
  checks: [({ sent }, { guard }) => checkTargets(sent, guard)],
  uses: PUT_NOTIFICATION,
  handler: (request, stores: Pick<Services, 'table' | 'clock' | 'guard'>) => {
    const given = givenNotification(request.body, stores.guard);
    return answerWrite(
      request,
      (by) => put(stores, by, given),
      (number: number) => ok(200, { notification_number: String(number) }),
    );
  },
});
