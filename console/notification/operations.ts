import type { deleteAction as del } from '#functions/actions/delete-action.ts';
import type { explainEvent } from '#functions/actions/explain-event.ts';
import type { getAction } from '#functions/actions/get-action.ts';
import type { listActions } from '#functions/actions/list-actions.ts';
import type { listAllDeliveries } from '#functions/actions/list-all-deliveries.ts';
import type { listDeliveries } from '#functions/actions/list-deliveries.ts';
import type { putFlowAction as putFlow } from '#functions/actions/put-flow-action.ts';
import type { redeliver as sendAgain } from '#functions/actions/redeliver.ts';
import type { replay } from '#functions/actions/replay.ts';
import type { rotateSigningSecret as rotate } from '#functions/actions/rotate-signing-secret.ts';
import type { testAction as sendTest } from '#functions/actions/test-action.ts';
import type { changeNotification as changeEnv } from '#functions/environment-notifications/change-notification.ts';
import type { putNotification as putEnv } from '#functions/environment-notifications/put-notification.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations on actions and their deliveries. */
export const actions = operation<typeof listActions>()('GET', '/actions/{org}', 'reader');
export const action = operation<typeof getAction>()('GET', '/actions/{org}/{action_number}', 'reader');
export const deliveriesOfAction = operation<typeof listDeliveries>()(
  'GET',
  '/actions/{org}/{action_number}/deliveries',
  'reader',
);
export const deliveries = operation<typeof listAllDeliveries>()('GET', '/deliveries/{org}', 'reader');
export const recipientsOfEvent = operation<typeof explainEvent>()('GET', '/deliveries/{org}/explain', 'reader');
export const redeliver = operation<typeof sendAgain>()(
  'POST',
  '/actions/{org}/{action_number}/deliveries/{delivery_id}/redeliver',
  'member',
);
export const testAction = operation<typeof sendTest>()('POST', '/actions/{org}/{action_number}/test', 'member');
export const replayDeliveries = operation<typeof replay>()('POST', '/actions/{org}/{action_number}/replay', 'member');
export const rotateSigningSecret = operation<typeof rotate>()(
  'POST',
  '/actions/{org}/{action_number}/signing-secret/rotate',
  'admin',
);
export const putFlowAction = operation<typeof putFlow>()('PUT', '/actions/{org}/flows', 'member');
export const putNotification = operation<typeof putEnv>()(
  'PUT',
  '/organizations/{org}/environments_notifications',
  'member',
);
export const changeNotification = operation<typeof changeEnv>()(
  'PUT',
  '/organizations/{org}/environments_notifications/{notification_number}',
  'member',
);
export const deleteAction = operation<typeof del>()('DELETE', '/actions/{org}/{action_number}', 'member');

export type Action = AnswerOf<typeof getAction>;
export type Delivery = AnswerOf<typeof listDeliveries>['deliveries'][number];
export type Attempt = Delivery['attempts'][number];
export type DeliverySummary = AnswerOf<typeof listAllDeliveries>['deliveries'][number];
export type Explanation = AnswerOf<typeof explainEvent>;
export type ExplainedAction = Explanation['actions'][number];
