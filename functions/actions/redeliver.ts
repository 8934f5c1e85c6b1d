import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOk } from '#shared/http/written.ts';
import { actionNotFound, deliveryNotFound } from '#shared/notifications/rules/sentences.ts';
import { SEND_AGAIN, redeliver as sendAgain } from '#shared/notifications/send-again.ts';
import { actionParams } from './action-params.ts';

/** Sends one delivery again under its own id (`rules/notifications.md#redeliver`). */
export const redeliver = endpoint({
  operation: 'redeliver',
  method: 'POST',
  path: '/actions/{org}/{action_number}/deliveries/{delivery_id}/redeliver',
  summary: 'Send a delivery again',
  description:
    'The delivery is sent at once, under the same id and whatever its state is. The schedule of attempts starts again.',
  access: 'member',
  params: z.object({ ...actionParams, delivery_id: z.string() }),
  success: { 200: z.literal('OK') },
  errors: [actionNotFound, deliveryNotFound],
  uses: SEND_AGAIN,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { action_number: action, delivery_id: delivery } = request.params;
    return answerOk(request, (by) => sendAgain(stores, by, action, delivery));
  },
});
