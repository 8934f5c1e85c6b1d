import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import type { DeliveryWithAttempts, UnreadableDelivery } from '#shared/notifications/records/delivery-pages.ts';
import { type Attempt, DELIVERY_STATES, type Delivery, TARGET_TYPES } from '#shared/notifications/rules/records.ts';

const AttemptOut = z
  .object({
    attempt: z.int().meta({ description: 'Counted from 1' }),
    at: z.number(),
    status: z.int().nullable().meta({ description: 'HTTP status; null where no answer came, and for mail' }),
    duration: z.number().meta({ description: 'Seconds' }),
    outcome: z.enum(['delivered', 'failed', 'refused', 'gone']).meta({
      description: '`refused`: the address is not allowed; `gone`: the target answered 410',
    }),
  })
  .meta({ id: 'DeliveryAttempt' });

/**
 * One event for one target, with every attempt (`rules/notifications.md#list-of-deliveries`). Details and digests of
 * attempts are left out, because they quote what the target answered.
 */
export const DeliveryOut = z
  .object({
    id: z.string().meta({ description: 'The same over all attempts: `webhook-id`' }),
    event: z.object({
      id: z.string(),
      type: z.string(),
      timestamp: z.number(),
      description: z.string(),
      flow: z.string().optional(),
      trail: z.string().optional(),
      environment: z.string().optional(),
      test: z.boolean(),
    }),
    trigger: z.string(),
    target: z.object({
      type: z.enum(TARGET_TYPES),
      webhook: z.string().optional(),
      emails: z.array(z.string()).optional(),
    }),
    state: z.enum(DELIVERY_STATES).meta({
      description: '`dead`: given up after the last attempt; `discarded`: the target is gone or disabled',
    }),
    created_at: z.number(),
    next_attempt_at: z.number().meta({ description: '0 where nothing is to be sent any more' }),
    attempts: z.array(AttemptOut),
    unreadable: z.literal(true).optional().meta({
      description: 'Set where the record could not be read: only the id is the record’s own then.',
    }),
  })
  .meta({ id: 'Delivery' });
export type DeliveryOut = z.input<typeof DeliveryOut>;

/** Describes a delivery for clients. */
export function deliveryOut({ delivery, attempts }: DeliveryWithAttempts): DeliveryOut {
  const { id, notice, target, state, created, due } = delivery;
  const { event, eventType, at, description, flow, trail, environment, test = false } = notice;
  const { type, webhook, emails } = target;
  return {
    id,
    event: { id: event, type: eventType, timestamp: toSeconds(at), description, flow, trail, environment, test },
    trigger: notice.trigger,
    target: { type, webhook, emails },
    state,
    created_at: toSeconds(created),
    next_attempt_at: nextAttempt(state, due),
    attempts: attempts.map(attemptOut),
  };
}

const nextAttempt = (state: Delivery['state'], due: Delivery['due']): number =>
  state === 'pending' ? toSeconds(due) : 0;

const attemptOut = ({ attempt, at, status, duration, outcome }: Attempt): z.input<typeof AttemptOut> => ({
  attempt,
  at: toSeconds(at),
  status,
  duration: duration / 1000,
  outcome,
});

/** The placeholder that a list shows for a delivery that cannot be parsed. */
export const unreadableDelivery = ({ id }: UnreadableDelivery): DeliveryOut => ({
  id,
  event: { id: '', type: '', timestamp: 0, description: '', test: false },
  trigger: '',
  target: { type: 'WEBHOOK' },
  state: 'discarded',
  created_at: 0,
  next_attempt_at: 0,
  attempts: [],
  unreadable: true,
});
