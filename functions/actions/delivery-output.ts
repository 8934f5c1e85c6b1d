import * as z from 'zod';
import { TargetPlace, targetPlace } from '#functions/forms/target-place.ts';
import { toSeconds } from '#shared/base/time.ts';
import { mayAs, type Role } from '#shared/callers/roles.ts';
import { ERASED_DESCRIPTION } from '#shared/notifications/erase-notices.ts';
import type {
  DeliveryWithAttempts,
  ListedDelivery,
  UnreadableDelivery,
} from '#shared/notifications/list-deliveries.ts';
import { messageOf } from '#shared/notifications/rules/payload.ts';
import {
  type Attempt,
  DELIVERY_STATES,
  type Delivery,
  type Notice,
  TARGET_TYPES,
} from '#shared/notifications/rules/records.ts';
import { shownAddress } from '#shared/notifications/rules/shown-address.ts';
import { ERROR_CLASSES, errorClass, keptAnswer } from '#shared/outgoing/faults.ts';

const AttemptOut = z
  .object({
    attempt: z.int().meta({ description: 'Counted from 1' }),
    at: z.number().describe('When it happened, in seconds since the epoch'),
    status: z.int().nullable().meta({ description: 'HTTP status; null where no answer came, and for mail' }),
    duration: z.number().meta({ description: 'Seconds' }),
    outcome: z.enum(['delivered', 'failed', 'refused', 'gone']).meta({
      description: '`refused`: the address is not allowed; `gone`: the target answered 410',
    }),
    error: z.enum(ERROR_CLASSES).nullable().meta({
      description: 'Why the attempt failed: the class of the error; null if the target accepted the message',
    }),
    answer: z.string().nullable().optional().meta({
      description: 'The beginning of what the target answered; only for admins',
    }),
  })
  .meta({ id: 'DeliveryAttempt' });

const EventOut = z.object({
  id: z.string().describe('Id of the event'),
  type: z.string().describe('What happened'),
  timestamp: z.number().describe('When it happened, in seconds since the epoch'),
  description: z.string().describe('What happened, in a sentence'),
  flow: z.string().optional().describe('Name of the flow'),
  trail: z.string().optional().describe('Name of the trail'),
  environment: z.string().optional().describe('Name of the environment'),
  test: z.boolean().describe('Whether `POST …/test` made the event'),
});

/**
 * What the target gets, made from the notice in the same way as at each attempt (`rules/notifications.md#message-of-a-delivery`).
 */
const MessageOut = z
  .object({
    content_type: z.enum(['application/json', 'text/plain']).meta({ description: '`text/plain` for a mail' }),
    subject: z.string().optional().meta({ description: 'Subject of a mail' }),
    text: z.string().meta({ description: 'Body of the request, or the text of the mail' }),
  })
  .meta({ id: 'DeliveryMessage' });

const stateFields = {
  state: z.enum(DELIVERY_STATES).meta({
    description: '`dead`: given up after the last attempt; `discarded`: the target is gone or disabled',
  }),
  created_at: z.number().describe('When the record was made, in seconds since the epoch'),
  next_attempt_at: z.number().meta({ description: '0 where nothing is to be sent any more' }),
  request_id: z.string().nullable().meta({
    description:
      '`X-Request-ID` of the request that caused the event, or that had it sent again; null if nobody knows the request',
  }),
};
const stateOut = ({ state, created, due, request }: Delivery) => ({
  state,
  created_at: toSeconds(created),
  next_attempt_at: state === 'pending' ? toSeconds(due) : 0,
  request_id: request ?? null,
});

const unreadableField = {
  unreadable: z.literal(true).optional().meta({
    description: 'Set where the record could not be read: only the id is the record’s own then.',
  }),
};

/**
 * One event for one target, with every attempt (`rules/notifications.md#list-of-deliveries`). Only admins see the
 * beginning of an answer, because a target can answer with anything.
 */
export const DeliveryOut = z
  .object({
    id: z.string().meta({ description: 'The same over all attempts: `webhook-id`' }),
    event: EventOut.describe('The event'),
    trigger: z.string().describe('The trigger of the event'),
    target: z
      .object({
        type: z.enum(TARGET_TYPES).describe('Type of the target'),
        webhook: z.string().optional().meta({
          description: 'Address; masked below the role `member`, as in the action',
        }),
        emails: z.array(z.string()).optional().describe('Addresses that get a mail'),
      })
      .describe('Where the event is sent'),
    ...stateFields,
    attempts: z.array(AttemptOut).describe('The attempts so far, oldest first'),
    message: MessageOut.nullable().optional().meta({
      description:
        'With `include=message`; null if texts of the event were erased, so that the message cannot be made again',
    }),
    ...unreadableField,
  })
  .meta({ id: 'Delivery' });
export type DeliveryOut = z.input<typeof DeliveryOut>;

/**
 * Describes a delivery for a caller with this role.
 * @param host scheme and authority of the addresses in the message; undefined = without the message
 */
export function deliveryOut({ delivery, attempts }: DeliveryWithAttempts, role: Role, host?: string): DeliveryOut {
  const { id, notice, target } = delivery;
  const { type, emails } = target;
  const webhook = target.webhook === undefined ? undefined : shownAddress(target.webhook, role);
  return {
    id,
    event: eventOut(notice),
    trigger: notice.trigger,
    target: { type, webhook, emails },
    ...stateOut(delivery),
    attempts: attempts.map((attempt) => attemptOut(attempt, role)),
    ...(host !== undefined && { message: messageOut(delivery, host) }),
  };
}

function messageOut({ target, notice }: Delivery, host: string): z.input<typeof MessageOut> | null {
  if (notice.description === ERASED_DESCRIPTION) return null;
  const message = messageOf(target, notice, host);
  if (message.kind === 'json') return { content_type: 'application/json', text: message.body };
  return { content_type: 'text/plain', subject: message.subject, text: message.text };
}

const eventOut = (notice: Notice): z.input<typeof EventOut> => {
  const { event, eventType, at, description, flow, trail, environment, test = false } = notice;
  return { id: event, type: eventType, timestamp: toSeconds(at), description, flow, trail, environment, test };
};

const attemptOut = (attempt: Attempt, role: Role): z.input<typeof AttemptOut> => ({
  attempt: attempt.attempt,
  at: toSeconds(attempt.at),
  status: attempt.status,
  duration: attempt.duration / 1000,
  outcome: attempt.outcome,
  error: errorClass(attempt),
  ...(mayAs(role, 'admin') && { answer: keptAnswer(attempt) }),
});

const NO_EVENT: z.input<typeof EventOut> = { id: '', type: '', timestamp: 0, description: '', test: false };
const NO_STATE = { state: 'discarded' as const, created_at: 0, next_attempt_at: 0, request_id: null };

/** The placeholder that a list shows for a delivery that cannot be parsed. */
export const unreadableDelivery = ({ id }: UnreadableDelivery): DeliveryOut => ({
  id,
  event: NO_EVENT,
  trigger: '',
  target: { type: 'WEBHOOK' },
  ...NO_STATE,
  attempts: [],
  unreadable: true,
});

/** A delivery in the list of all actions (`rules/notifications.md#delivery-log`). */
export const DeliverySummary = z
  .object({
    id: z.string().meta({ description: 'The same over all attempts: `webhook-id`' }),
    action: z
      .object({
        number: z.int().describe('Number in the organization; actions and notifications are numbered together'),
        name: z.string().meta({ description: 'Present name; empty if the action was deleted' }),
      })
      .meta({ description: 'The action that the delivery belongs to' }),
    event: EventOut.describe('The event'),
    trigger: z.string().describe('The trigger of the event'),
    target: TargetPlace.describe('Where the event is sent'),
    ...stateFields,
    attempts_made: z.int().meta({ description: 'Attempts so far' }),
    last_attempt: AttemptOut.nullable().meta({ description: 'The newest attempt; null before the first one' }),
    ...unreadableField,
  })
  .meta({ id: 'DeliverySummary' });
export type DeliverySummary = z.input<typeof DeliverySummary>;

/** Describes a delivery for a caller with this role. */
export function deliverySummary({ delivery, last }: ListedDelivery, action: string, role: Role): DeliverySummary {
  const { id, notice, target, attempts } = delivery;
  return {
    id,
    action: { number: delivery.action, name: action },
    event: eventOut(notice),
    trigger: notice.trigger,
    target: targetPlace(target),
    ...stateOut(delivery),
    attempts_made: attempts,
    last_attempt: last && attemptOut(last, role),
  };
}

/** The placeholder that a list shows for a delivery that cannot be parsed. */
export const unreadableSummary = ({ id }: UnreadableDelivery): DeliverySummary => ({
  id,
  action: { number: 0, name: '' },
  event: NO_EVENT,
  trigger: '',
  target: { type: 'WEBHOOK', host: null },
  ...NO_STATE,
  attempts_made: 0,
  last_attempt: null,
  unreadable: true,
});
