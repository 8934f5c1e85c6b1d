import * as z from 'zod';
import { TargetsIn } from '#functions/forms/target-request.ts';
import { readTargets } from '#functions/forms/targets.ts';
import { AnyEnvironmentName } from '#shared/base/names.ts';
import type { GivenNotification } from '#shared/environments/actions/save-notification.ts';
import { ActionName } from '#shared/evidence/rules/shared-fields.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { ENVIRONMENT_TRIGGERS } from '#shared/notifications/rules/records.ts';
import type { AddressGuard } from '#shared/outgoing/address-guard.ts';

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

const MOST_ENVIRONMENTS = 500;
const MOST_TRIGGERS = 50;

/** The body of the request. Other fields are ignored, also times inside targets (`rules/notifications.md#saving`). */
export const NotificationReport = z
  .object({
    name: ActionName.describe('Name of the notification. An existing notification of this name is updated'),
    type: z.literal('env').nullish().describe('Always `env`'),
    environments: z.array(AnyEnvironmentName).min(1).max(MOST_ENVIRONMENTS).meta({ description: 'Names' }),
    triggers: z.array(z.enum(ENVIRONMENT_TRIGGERS)).min(1).max(MOST_TRIGGERS).meta({
      description: '`ON_SCALED_ARTIFACT` is accepted and never fires',
    }),
    targets: TargetsIn.describe('Where events are sent'),
  })
  .meta({ id: 'EnvironmentNotificationReport' });

/** Returns the notification that a request gives. @throws ServiceError `invalid` with a text for each wrong target */
export const givenNotification = (
  { name, environments, triggers, targets }: z.output<typeof NotificationReport>,
  guard: AddressGuard,
): GivenNotification => ({ name, environments, triggers, ...readTargets(targets, guard) });
