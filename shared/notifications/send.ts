import type { Id } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { post } from '#shared/outgoing/post.ts';
import { type Message, messageOf } from './rules/payload.ts';
import type { Attempt, Notice, Target } from './rules/records.ts';
import { signatureHeaders } from './rules/signature.ts';
import type { NotifierServices } from './services.ts';

/** Dependencies of an attempt to send. */
export interface Sending extends Pick<NotifierServices, 'guard' | 'mailer' | 'host' | 'clock'> {
  /** Limit of one request; default: ten seconds. */
  timeoutMillis?: number | undefined;
  /** A clock in milliseconds that never goes back, for durations. */
  elapsed?: (() => number) | undefined;
}

/** The result of one attempt: its record without the number, and the `Retry-After` header of the answer. */
export type Sent = Omit<Attempt, 'attempt'> & { retryAfter?: string };

/**
 * Sends one message to one target (`rules/notifications.md#attempts`). A fault of the target is a result, not an error.
 * @param deliveryId the same for all attempts of a delivery
 * @param secrets secrets of the action, the newest first; they sign webhooks only
 * @throws Error for broken stored data: a target without its address, a webhook without a secret
 */
export async function sendTo(
  target: Target,
  notice: Notice,
  deliveryId: Id,
  secrets: readonly string[],
  sending: Sending,
): Promise<Sent> {
  const at = sending.clock.now();
  const message = messageOf(target, notice, sending.host);
  if (message.kind === 'mail') return sendMail(target, message, deliveryId, at, sending);
  if (target.webhook === undefined) throw new Error('A target without its address was stored');
  const { guard, timeoutMillis, elapsed } = sending;
  const { body } = message;
  const result = await post(target.webhook, {
    guard,
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(target.type === 'WEBHOOK' && signatureHeaders(deliveryId, at, body, secrets)),
    },
    timeoutMillis,
    elapsed,
  });
  const { durationMillis: duration, status, outcome, detail, digest, retryAfter } = result;
  return { at, duration, status, outcome, detail, digest, ...(retryAfter !== undefined && { retryAfter }) };
}

async function sendMail(
  target: Target,
  { subject, text, html }: Extract<Message, { kind: 'mail' }>,
  id: Id,
  at: Micros,
  sending: Sending,
): Promise<Sent> {
  const { mailer, elapsed = () => performance.now() } = sending;
  const started = elapsed();
  const result = (outcome: 'delivered' | 'failed', detail: string): Sent => ({
    at,
    duration: Math.round(elapsed() - started),
    status: null,
    outcome,
    detail,
    digest: null,
  });
  const mail = { subject, text, html, to: target.emails ?? [], id };
  try {
    await mailer.send(mail);
    return result('delivered', 'The mail was handed over');
  } catch (error) {
    // The detail has the error's name only. The error's message may contain names of our own accounts and files.
    return result('failed', `The mail was not handed over (${error instanceof Error ? error.name : typeof error})`);
  }
}
