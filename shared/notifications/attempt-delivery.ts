import type { OrganizationId } from '#shared/base/ids.ts';
import { deliveryMessage } from '#shared/notifications/messages.ts';
import { readSecrets, signingSecrets } from '#shared/notifications/records/action-secrets.ts';
import { findAction } from '#shared/notifications/records/actions.ts';
import { discard, type Next, postpone, readDelivery, recordAttempt } from '#shared/notifications/records/deliveries.ts';
import { readLastAttempt } from '#shared/notifications/records/last-attempt.ts';
import { readHealth, takeProbe } from '#shared/notifications/records/target-health.ts';
import { type Admission, admit } from '#shared/notifications/rules/health.ts';
import type { Attempt, Delivery, DeliveryMessage, TargetHealth } from '#shared/notifications/rules/records.ts';
import { afterFailure } from '#shared/notifications/rules/schedule.ts';
import { type Sent, sendTo } from '#shared/notifications/send.ts';
import type { NotifierServices } from '#shared/notifications/services.ts';
import { LONGEST_DELAY_SECONDS } from '#shared/queues/queue.ts';
import type { HealthKeeper, HealthOf } from './health-keeper.ts';
import { heldUntil, isGivenUp } from './holding.ts';

/** What attempts are made with. */
export interface Notifier {
  services: NotifierServices;
  health: HealthKeeper;
  random: () => number;
  /** Limit of one request in milliseconds; ten seconds where it is absent. */
  timeoutMillis?: number;
}

/** What became of a message. */
export type Outcome =
  | { kind: 'attempted'; attempt: Attempt }
  /** Another message was first, or the delivery is decided: there is nothing to do. */
  | { kind: 'stale' }
  | { kind: 'unknown' }
  /** The target's circuit is open. */
  | { kind: 'held' }
  /** The target is disabled, or the action or the target is gone. */
  | { kind: 'discarded' };

/**
 * Works on one message: makes the one attempt that it asks for, unless that was made since, and writes it into the
 * books (design §2.8, §6).
 * @param again whether the message was received before: whoever had it may have ended between books and health
 * @param touched told whose health the call changes
 * @throws Error for faults of ours alone: the message comes again
 */
export async function attemptDelivery(
  notifier: Notifier,
  message: DeliveryMessage,
  again: boolean,
  touched: (of: HealthOf) => void,
): Promise<Outcome> {
  const { table, clock } = notifier.services;
  const { org, action: number, delivery: id, attempts } = message;
  const [delivery, action, healths, secrets] = await Promise.all([
    readDelivery(table, org, number, id),
    findAction(table, org, number),
    readHealth(table, org, number),
    readSecrets(table, org, number, clock.now()),
  ]);
  if (!delivery) return { kind: 'unknown' };
  const of: HealthOf = { org, action: number, target: delivery.target.key };
  if (delivery.state !== 'pending' || delivery.attempts !== attempts) {
    if (again) await noteLast(notifier, of, delivery, touched);
    return { kind: 'stale' };
  }
  const target = action?.targets.find(({ key }) => key === delivery.target.key);
  const health = healths.get(delivery.target.key);
  if (!target) return discarded(await discard(table, org, delivery));
  const admission = await admitted(notifier, of, delivery, health);
  if (admission.kind === 'disabled') return discarded(await discard(table, org, delivery));
  if (admission.kind === 'wait') return hold(notifier, org, delivery, admission, health);

  const sending = {
    ...notifier.services,
    ...(notifier.timeoutMillis !== undefined && { timeoutMillis: notifier.timeoutMillis }),
  };
  const signedWith = secrets ? signingSecrets(secrets) : [];
  const sent = await sendTo(delivery.target, delivery.notice, delivery.id, signedWith, sending);
  return keep(notifier, of, delivery, sent, touched);
}

const discarded = (outcome: 'done' | 'stale'): Outcome => ({ kind: outcome === 'done' ? 'discarded' : 'stale' });

/** Somebody who has a test sent wants to know now. A probe is made by whoever takes it first. */
async function admitted(
  { services }: Notifier,
  { org, action }: HealthOf,
  { notice }: Delivery,
  health: TargetHealth | undefined,
): Promise<Exclude<Admission, { kind: 'probe' }>> {
  const admission = admit(health, services.clock.now());
  if (admission.kind === 'wait' && notice.test) return { kind: 'go' };
  if (admission.kind !== 'probe' || !health) return admission as Exclude<Admission, { kind: 'probe' }>;
  const isOurs = await takeProbe(services.table, org, action, health, admission.health);
  return isOurs ? { kind: 'go' } : { kind: 'wait', until: admission.health.probeAt };
}

/** The delivery only gets another due time, by which it is found; a day of this ends it (design §6). */
async function hold(
  { services: { table, clock }, random }: Notifier,
  org: OrganizationId,
  delivery: Delivery,
  { until }: { until: number },
  health: TargetHealth | undefined,
): Promise<Outcome> {
  const now = clock.now();
  if (health && isGivenUp(delivery, health, now)) {
    const attempt: Attempt = {
      ...{ attempt: delivery.attempts + 1, at: now, duration: 0, status: null, digest: null },
      ...{ outcome: 'failed', detail: 'Given up without a request: the target took nothing for a day' },
    };
    const kept = await recordAttempt(table, org, delivery, attempt, { state: 'dead' });
    return kept === 'done' ? { kind: 'attempted', attempt } : { kind: 'stale' };
  }
  const outcome = await postpone(table, org, delivery, heldUntil(delivery, until, now, random));
  return { kind: outcome === 'done' ? 'held' : 'stale' };
}

/** Books first: what they say is the truth, and health follows from it. */
async function keep(
  notifier: Notifier,
  of: HealthOf,
  delivery: Delivery,
  sent: Sent,
  touched: (of: HealthOf) => void,
): Promise<Outcome> {
  const { table, clock, deliveries } = notifier.services;
  const { retryAfter, ...facts } = sent;
  const attempt: Attempt = { ...facts, attempt: delivery.attempts + 1 };
  const now = clock.now();
  const next = nextOf(delivery, attempt, now, retryAfter, notifier.random);
  if ((await recordAttempt(table, of.org, delivery, attempt, next)) === 'stale') return { kind: 'stale' };
  touched(of);
  await notifier.health.note(table, of, attempt);
  if (next.state === 'pending') {
    const delay = Math.ceil((next.due - now) / 1e6);
    const following = { ...delivery, attempts: attempt.attempt };
    // Longer pauses than the queue's are found by their due time.
    if (delay <= LONGEST_DELAY_SECONDS) await deliveries.send([deliveryMessage(of.org, following, delay)]);
  }
  return { kind: 'attempted', attempt };
}

/** What follows from an attempt. Attempts before the delivery was put back count no more (design §6). */
function nextOf(
  { attemptsBefore = 0 }: Delivery,
  { outcome, attempt }: Attempt,
  now: number,
  retryAfter: string | undefined,
  random: () => number,
): Next {
  if (outcome === 'delivered') return { state: 'delivered' };
  if (outcome === 'gone') return { state: 'discarded' };
  const due = afterFailure(attempt - attemptsBefore, now, retryAfter, random);
  return due === 'dead' ? { state: 'dead' } : { state: 'pending', due };
}

async function noteLast(
  { services: { table }, health }: Notifier,
  of: HealthOf,
  delivery: Delivery,
  touched: (of: HealthOf) => void,
): Promise<void> {
  const last = await readLastAttempt(table, of.org, delivery);
  if (!last) return;
  touched(of);
  await health.note(table, of, last);
}
