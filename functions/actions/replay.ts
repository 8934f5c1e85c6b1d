import * as z from 'zod';
import { fromSeconds, toSeconds } from '#shared/base/time.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOf } from '#shared/http/idempotency.ts';
import { numberField } from '#shared/http/query-fields.ts';
import { claimAlone } from '#shared/http/written.ts';
import { putBackFailed } from '#shared/notifications/records/deliveries.ts';
import { failedDeliveries } from '#shared/notifications/records/delivery-pages.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { claimWrites } from '#shared/table/idempotency.ts';
import { actionOrRefuse, actionParams } from './action-params.ts';

/** One call does no more than it can finish within a function's time. */
const LIMITS = { most: 1_000, mostItems: 20_000 };

const ReplayOut = z
  .object({
    replayed: z.int().meta({ description: 'Deliveries that are sent again' }),
    next_since: z.number().nullable().meta({
      description: 'Where to go on with another call, since this one could not look at everything; null = all done',
    }),
  })
  .meta({ id: 'Replay' });

/**
 * POST …/replay?since=: sends again what failed (design §6). Of the targets that the action has now: what was given up
 * on, and what was discarded while a target was disabled.
 */
export const replay = endpoint({
  operation: 'replayDeliveries',
  method: 'POST',
  path: '/actions/{org}/{action_number}/replay',
  summary: 'Send again what failed since an instant',
  description:
    'Dead and discarded deliveries to the present targets, of events at or after the instant, each under its own id.',
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
    // What was put back is in the books already: the claim only keeps the count for whoever asks again.
    const outcome = await claimAlone(table, claimWrites(idempotency, answer, now));
    return outcome === 'done' ? answer : { status: 200, body: ReplayOut.parse(answerOf(outcome).body) };
  },
});
