import * as z from 'zod';
import { newId } from '#shared/base/ids.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOf } from '#shared/http/idempotency.ts';
import { deliveryWrites, newDelivery } from '#shared/notifications/records/deliveries.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { testNotice } from '#shared/notifications/rules/triggers.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import { actionOrRefuse, actionParams } from './action-params.ts';

const TestOut = z
  .object({
    event_id: z.string(),
    delivery_ids: z.array(z.string()).meta({ description: 'One per target, in the order of the targets' }),
  })
  .meta({ id: 'TestEvent' });

/** Sends a marked test event to every target of an action (`rules/notifications.md#test-events`). */
export const testAction = endpoint({
  operation: 'testAction',
  method: 'POST',
  path: '/actions/{org}/{action_number}/test',
  summary: 'Send a test event to every target of an action',
  description: 'It is marked as a test, and sent, retried and listed like any other event.',
  access: 'member',
  params: z.object(actionParams),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: TestOut },
  errors: [actionNotFound],
  uses: { writes: ['DELIVERY', 'DELIVERIES', '@DUE'] },
  handler: async ({ params, org, idempotency }, { table, clock }) => {
    const action = await actionOrRefuse(table, org, params.action_number);
    const now = clock.now();
    const event = newId(now);
    const notice = testNotice(action, org.name, event, now);
    const deliveries = action.targets.map((target) => newDelivery(notice, action.number, target, now));
    const answer = { status: 200, body: { event_id: event, delivery_ids: deliveries.map(({ id }) => id) } };
    const outcome = await table.transact<EarlierRequest>([
      ...claimWrites(idempotency, answer, now),
      ...deliveryWrites(org.id, deliveries),
    ]);
    return outcome === 'done' ? answer : { status: 200, body: TestOut.parse(answerOf(outcome).body) };
  },
});
