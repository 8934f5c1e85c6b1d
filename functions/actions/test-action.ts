import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { testAction as sendTest, TEST_ACTION, type TestEvent } from '#shared/notifications/test-action.ts';
import { actionParams } from './action-params.ts';

const TestOut = z
  .object({
    event_id: z.string().describe('Id of the event'),
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
  success: { 200: TestOut },
  errors: [actionNotFound],
  uses: TEST_ACTION,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    answerWrite(
      request,
      (by) => sendTest(stores, by, request.params.action_number),
      ({ event, deliveries }: TestEvent) => ({ status: 200, body: { event_id: event, delivery_ids: deliveries } }),
    ),
});
