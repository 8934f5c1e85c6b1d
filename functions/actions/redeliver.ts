import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok, written } from '#shared/http/written.ts';
import { readDelivery } from '#shared/notifications/records/deliveries.ts';
import { putBackWrites } from '#shared/notifications/records/put-back.ts';
import { actionNotFound, deliveryNotFound } from '#shared/notifications/rules/sentences.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import { actionOrRefuse, actionParams } from './action-params.ts';

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
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('OK') },
  errors: [actionNotFound, deliveryNotFound],
  uses: { writes: ['DELIVERY', '@DUE'], removes: ['@DUE'] },
  handler: async ({ params, org, idempotency }, { table, clock }) => {
    const { number } = await actionOrRefuse(table, org, params.action_number);
    const answer = ok(200);
    const outcome = await retrying(async () => {
      const delivery = await readDelivery(table, org.id, number, params.delivery_id);
      if (!delivery) throw deliveryNotFound();
      const now = clock.now();
      const claim = claimWrites(idempotency, answer, now);
      return table.transact<'again' | EarlierRequest>([...claim, ...putBackWrites(org.id, delivery, now)]);
    });
    return written(answer, outcome);
  },
});
