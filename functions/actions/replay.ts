import * as z from 'zod';
import { fromSeconds, toSeconds } from '#shared/base/time.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOf } from '#shared/http/idempotency.ts';
import { numberField } from '#shared/http/query-fields.ts';
import { claimAlone } from '#shared/http/written.ts';
import { failedDeliveries } from '#shared/notifications/records/delivery-pages.ts';
import { putBackFailed } from '#shared/notifications/records/put-back.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { claimWrites } from '#shared/table/idempotency.ts';
import { actionOrRefuse, actionParams } from './action-params.ts';

/** The most deliveries and items of one call, so that the call ends within the function's time limit. */
const LIMITS = { most: 1_000, mostItems: 20_000 };

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
  body: { kind: 'none' },
  success: { 200: ReplayOut },
  errors: [actionNotFound],
  uses: { writes: ['DELIVERY', '@DUE'], removes: ['@DUE'] },
  handler: async ({ params, query, org, idempotency }, { table, clock }) => {
    const action = await actionOrRefuse(table, org, params.action_number);
    const now = clock.now();
    const { deliveries, until } = await failedDeliveries(table, org.id, action, fromSeconds(query.since), now, LIMITS);
    const present = new Set(action.targets.map(({ key }) => key));
    const failed = deliveries.filter(({ target }) => present.has(target.key));
    const replayed = await putBackFailed(table, org.id, failed, now);
    const answer = { status: 200, body: { replayed, next_since: until === null ? null : toSeconds(until) } };
    // The deliveries are put back already. The claim only stores the count, for a repetition of the request.
    const outcome = await claimAlone(table, claimWrites(idempotency, answer, now));
    return outcome === 'done' ? answer : { status: 200, body: ReplayOut.parse(answerOf(outcome).body) };
  },
});
