import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import type { Role } from '#shared/callers/roles.ts';
import type { ListedDelivery, UnreadableDelivery } from '#shared/notifications/list-deliveries.ts';
import { DELIVERY_STATES, TARGET_TYPES, type Target } from '#shared/notifications/rules/records.ts';
import { AttemptOut, attemptOut, EventOut, eventOut, NO_EVENT, nextAttempt } from './delivery-output.ts';

export const TargetPlace = z.object({
  type: z.enum(TARGET_TYPES),
  host: z.string().nullable().meta({
    description: 'Host of the address, without the path, which can hold a secret; null for mail',
  }),
});

/** A delivery in the list of all actions (`rules/notifications.md#delivery-log`). */
export const DeliverySummary = z
  .object({
    id: z.string().meta({ description: 'The same over all attempts: `webhook-id`' }),
    action: z
      .object({
        number: z.int(),
        name: z.string().meta({ description: 'Present name; empty if the action was deleted' }),
      })
      .meta({ description: 'The action that the delivery belongs to' }),
    event: EventOut,
    trigger: z.string(),
    target: TargetPlace,
    state: z.enum(DELIVERY_STATES).meta({
      description: '`dead`: given up after the last attempt; `discarded`: the target is gone or disabled',
    }),
    created_at: z.number(),
    next_attempt_at: z.number().meta({ description: '0 where nothing is to be sent any more' }),
    attempts_made: z.int().meta({ description: 'Attempts so far' }),
    last_attempt: AttemptOut.nullable().meta({ description: 'The newest attempt; null before the first one' }),
    unreadable: z.literal(true).optional().meta({
      description: 'Set where the record could not be read: only the id is the record’s own then.',
    }),
  })
  .meta({ id: 'DeliverySummary' });
export type DeliverySummary = z.input<typeof DeliverySummary>;

/** Describes a delivery for a caller with this role. */
export function deliverySummary({ delivery, last }: ListedDelivery, action: string, role: Role): DeliverySummary {
  const { id, notice, target, state, created, due, attempts } = delivery;
  return {
    id,
    action: { number: delivery.action, name: action },
    event: eventOut(notice),
    trigger: notice.trigger,
    target: targetPlace(target),
    state,
    created_at: toSeconds(created),
    next_attempt_at: nextAttempt(state, due),
    attempts_made: attempts,
    last_attempt: last && attemptOut(last, role),
  };
}

export const targetPlace = ({ type, webhook }: Target): z.input<typeof TargetPlace> => ({
  type,
  host: webhook === undefined ? null : new URL(webhook).host,
});

/** The placeholder that a list shows for a delivery that cannot be parsed. */
export const unreadableSummary = ({ id }: UnreadableDelivery): DeliverySummary => ({
  id,
  action: { number: 0, name: '' },
  event: NO_EVENT,
  trigger: '',
  target: { type: 'WEBHOOK', host: null },
  state: 'discarded',
  created_at: 0,
  next_attempt_at: 0,
  attempts_made: 0,
  last_attempt: null,
  unreadable: true,
});
