import type { Id } from '#shared/base/ids.ts';
import type { Clock, Micros } from '#shared/base/time.ts';
import type { AddressGuard } from '#shared/outgoing/address-guard.ts';
import type { Mailer } from '#shared/outgoing/mail.ts';
import { post } from '#shared/outgoing/post.ts';
import { chatText, mailOf, webhookPayload } from './rules/payload.ts';
import type { Attempt, Notice, Target } from './rules/records.ts';
import { signatureHeaders } from './rules/signature.ts';

/** What sending works with. */
export interface Sending {
  guard: AddressGuard;
  mailer: Mailer;
  /** Scheme and authority that addresses of the service begin with, for the links of a message. */
  host: string;
  clock: Clock;
  /** Limit of one request; ten seconds where it is absent. */
  timeoutMillis?: number;
  /** A clock that only goes forward, in milliseconds, for durations. */
  elapsed?: () => number;
}

/** What came of one attempt: everything of its record but its number, and how long the target wants to be left alone. */
export type Sent = Omit<Attempt, 'attempt'> & { retryAfter?: string };

/**
 * Makes one attempt. Whatever goes wrong at the target is a result.
 * @param deliveryId the same over all attempts
 * @param secrets of the action, the newest first; only webhooks are signed
 * @throws Error where our own data is broken: a target without its address, a webhook without a secret
 */
export async function sendTo(
  target: Target,
  notice: Notice,
  deliveryId: Id,
  secrets: readonly string[],
  sending: Sending,
): Promise<Sent> {
  const at = sending.clock.now();
  if (target.type === 'EMAIL') return sendMail(target, notice, deliveryId, at, sending);
  if (target.webhook === undefined) throw new Error('A target without its address was stored');
  const { guard, host, timeoutMillis, elapsed } = sending;
  const body = target.type === 'CHAT' ? JSON.stringify({ text: chatText(notice, host) }) : webhookPayload(notice, host);
  const result = await post(target.webhook, {
    guard,
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(target.type === 'WEBHOOK' && signatureHeaders(deliveryId, at, body, secrets)),
    },
    ...(timeoutMillis !== undefined && { timeoutMillis }),
    ...(elapsed && { elapsed }),
  });
  const { durationMillis: duration, status, outcome, detail, digest, retryAfter } = result;
  return { at, duration, status, outcome, detail, digest, ...(retryAfter !== undefined && { retryAfter }) };
}

async function sendMail(target: Target, notice: Notice, id: Id, at: Micros, sending: Sending): Promise<Sent> {
  const { mailer, host, elapsed = () => performance.now() } = sending;
  const started = elapsed();
  const done = (outcome: 'delivered' | 'failed', detail: string): Sent => ({
    ...{ at, duration: Math.round(elapsed() - started), status: null, outcome, detail, digest: null },
  });
  const mail = { ...mailOf(notice, host), to: target.emails ?? [], id };
  try {
    await mailer.send(mail);
    return done('delivered', 'The mail was handed over');
  } catch (error) {
    // The name tells what kind of fault it was; the message may tell of our own accounts and files.
    return done('failed', `The mail was not handed over (${error instanceof Error ? error.name : typeof error})`);
  }
}
