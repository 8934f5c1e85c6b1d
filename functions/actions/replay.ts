import * as z from 'zod';
import { fromSeconds, secondsOrNull } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { numberField } from '#shared/http/query-fields.ts';
import { answerWrite } from '#shared/http/written.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { type Replayed, replayDeliveries, SEND_AGAIN } from '#shared/notifications/send-again.ts';
import { actionParams } from './action-params.ts';

const ReplayOut = z
  .object({
    replayed: z.int().meta({ description: 'Deliveries that are sent again' }),
    next_since: z.number().nullable().meta({
      description: '`since` of the next call, if this call could not examine all deliveries; null = complete',
    }),
  })
  .meta({ id: 'Replay' });

/**
 * Sends failed deliveries again (`rules/notifications.md#replay`): dead ones, and discarded ones, for the targets that
 * the action has now.
 */
export const replay = endpoint({
  operation: 'replayDeliveries',
  method: 'POST',
  path: '/actions/{org}/{action_number}/replay',
  summary: 'Send the failed deliveries since an instant again',
  description:
    'Dead and discarded deliveries to the current targets, of events at or after the instant, each under its own id.',
  access: 'member',
  params: z.object(actionParams),
  query: z.object({ since: numberField().meta({ description: 'Time of the events, in seconds since the epoch' }) }),
  success: { 200: ReplayOut },
  errors: [actionNotFound],
  uses: SEND_AGAIN,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { params, query } = request;
    return answerWrite(
      request,
      (by) => replayDeliveries(stores, by, params.action_number, fromSeconds(query.since)),
      ({ count, until }: Replayed) => ({
        status: 200,
        body: { replayed: count, next_since: secondsOrNull(until) },
      }),
    );
  },
});
