import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { deliveryMessage } from '#shared/notifications/messages.ts';
import { readSecrets, signingSecrets } from '#shared/notifications/records/action-secrets.ts';
import { findAction } from '#shared/notifications/records/actions.ts';
import { discard, type Next, postpone, readDelivery, recordAttempt } from '#shared/notifications/records/deliveries.ts';
import { readLastAttempt } from '#shared/notifications/records/delivery-list.ts';
import { readHealth, reserveProbe } from '#shared/notifications/records/target-health.ts';
import { type Admission, admit } from '#shared/notifications/rules/health.ts';
import type { Attempt, Delivery, DeliveryMessage, Target, TargetHealth } from '#shared/notifications/rules/records.ts';
import { afterFailure, holdUntil, isGivenUp } from '#shared/notifications/rules/schedule.ts';
import { type Sent, sendTo } from '#shared/notifications/send.ts';
import type { NotifierServices } from '#shared/notifications/services.ts';
import { GIVEN_UP } from '#shared/outgoing/faults.ts';
import { LONGEST_DELAY_SECONDS } from '#shared/queues/queue.ts';
import type { HealthWriter, TargetRef } from './health-writer.ts';

/** Dependencies of an attempt. */
export interface Notifier {
  services: NotifierServices;
  health: HealthWriter;
  /** Returns a number of at least 0 and below 1. */
  random: () => number;
  /** Limit of one request in milliseconds; default: ten seconds. */
  timeoutMillis?: number | undefined;
}

/** What a message about a delivery led to. */
type Outcome =
  | { kind: 'attempted'; attempt: Attempt; target: Target['type'] }
  /** The attempt was made already, or the delivery is not pending. Nothing is sent. */
  | { kind: 'stale' }
  /** The target's circuit is open. The delivery has got another due time. */
  | { kind: 'held' }
  /** The target is disabled, or the action or the target is gone. */
  | { kind: 'discarded' };

/** `unknown`: the delivery does not exist. `request` names the request that caused the delivery, if it is known. */
type Handled = { kind: 'unknown' } | (Outcome & { request: string | undefined });

/**
 * Handles one message: makes the attempt that the message asks for, unless it was made already, and stores it
 * (`rules/notifications.md#attempts`).
 * @param wasReceivedBefore whether the queue delivered the message before. An earlier worker may have stored the
 *   attempt and ended before it updated the health.
 * @param onHealthChange is called with each target whose health the call changes
 * @throws Error for our own faults only, never for faults of the target; the queue delivers the message again
 */
export async function attemptDelivery(
  notifier: Notifier,
  message: DeliveryMessage,
  wasReceivedBefore: boolean,
  onHealthChange: (ref: TargetRef) => void,
): Promise<Handled> {
  const { table, clock } = notifier.services;
  const { org, action: number, delivery: id } = message;
  const [delivery, action, healths, secrets] = await Promise.all([
    readDelivery(table, org, number, id),
    findAction(table, org, number),
    readHealth(table, org, number),
    readSecrets(table, org, number, clock.now()),
  ]);
  if (!delivery) return { kind: 'unknown' };
  const known = { delivery, action, healths, secrets };
  const outcome = await attemptKnown(notifier, message, known, wasReceivedBefore, onHealthChange);
  return { ...outcome, request: delivery.request };
}

/** What an attempt reads before it decides. */
interface Known {
  delivery: Delivery;
  action: Awaited<ReturnType<typeof findAction>>;
  healths: Awaited<ReturnType<typeof readHealth>>;
  secrets: Awaited<ReturnType<typeof readSecrets>>;
}

async function attemptKnown(
  notifier: Notifier,
  { org, action: number, attempts }: DeliveryMessage,
  { delivery, action, healths, secrets }: Known,
  wasReceivedBefore: boolean,
  onHealthChange: (ref: TargetRef) => void,
): Promise<Outcome> {
  const { table } = notifier.services;
  const ref: TargetRef = { org, action: number, target: delivery.target.key };
  if (delivery.state !== 'pending' || delivery.attempts !== attempts) {
    if (wasReceivedBefore) await applyLastAttempt(notifier, ref, delivery, onHealthChange);
    return { kind: 'stale' };
  }
  const target = action?.targets.find(({ key }) => key === delivery.target.key);
  const health = healths.get(delivery.target.key);
  if (!target) return discarded(await discard(table, org, delivery));
  const admission = await admitOrReserveProbe(notifier, ref, delivery, health);
  if (admission.kind === 'disabled') return discarded(await discard(table, org, delivery));
  if (admission.kind === 'wait') return hold(notifier, org, delivery, admission, health);

  const sending = { ...notifier.services, timeoutMillis: notifier.timeoutMillis };
  const signedWith = secrets ? signingSecrets(secrets) : [];
  const sent = await sendTo(delivery.target, delivery.notice, delivery.id, signedWith, sending);
  return storeAttempt(notifier, ref, delivery, sent, onHealthChange);
}

const attempted = ({ target: { type } }: Delivery, attempt: Attempt): Outcome => ({
  kind: 'attempted',
  attempt,
  target: type,
});

const discarded = (outcome: 'done' | 'stale'): Outcome => ({ kind: outcome === 'done' ? 'discarded' : 'stale' });

/**
 * Decides whether the target may be tried now (`rules/notifications.md#circuit`). A test event passes an open circuit,
 * because its caller wants the result now. Of several workers, the one that reserves the probe makes it.
 */
async function admitOrReserveProbe(
  { services }: Notifier,
  { org, action }: TargetRef,
  { notice }: Delivery,
  health: TargetHealth | undefined,
): Promise<Exclude<Admission, { kind: 'probe' }>> {
  const admission = admit(health, services.clock.now());
  if (admission.kind === 'wait' && notice.test) return { kind: 'go' };
  if (admission.kind !== 'probe') return admission;
  const isReserved = await reserveProbe(services.table, org, action, admission.before, admission.health);
  return isReserved ? { kind: 'go' } : { kind: 'wait', until: admission.health.probeAt };
}

/**
 * Gives the delivery another due time, by which the sweep finds it. Gives it up if its target accepted nothing for a
 * day (`rules/notifications.md#holding`).
 */
async function hold(
  { services: { table, clock }, random }: Notifier,
  org: OrganizationId,
  delivery: Delivery,
  { until }: { until: Micros },
  health: TargetHealth | undefined,
): Promise<Outcome> {
  const now = clock.now();
  if (health && isGivenUp(delivery, health, now)) {
    const attempt: Attempt = {
      attempt: delivery.attempts + 1,
      at: now,
      duration: 0,
      status: null,
      digest: null,
      outcome: 'failed',
      detail: GIVEN_UP,
    };
    const stored = await recordAttempt(table, org, delivery, attempt, { state: 'dead' });
    return stored === 'done' ? attempted(delivery, attempt) : { kind: 'stale' };
  }
  const outcome = await postpone(table, org, delivery, holdUntil(delivery, until, now, random));
  return { kind: outcome === 'done' ? 'held' : 'stale' };
}

/**
 * Stores the attempt, then updates the health of the target, then sends the message of the next attempt. The stored
 * attempts are the truth, and health is computed from them (`rules/notifications.md#books-and-health`).
 */
async function storeAttempt(
  notifier: Notifier,
  ref: TargetRef,
  delivery: Delivery,
  sent: Sent,
  onHealthChange: (ref: TargetRef) => void,
): Promise<Outcome> {
  const { table, clock, deliveries } = notifier.services;
  const { retryAfter, ...facts } = sent;
  const attempt: Attempt = { ...facts, attempt: delivery.attempts + 1 };
  const now = clock.now();
  const next = nextAfter(delivery, attempt, now, retryAfter, notifier.random);
  if ((await recordAttempt(table, ref.org, delivery, attempt, next)) === 'stale') return { kind: 'stale' };
  onHealthChange(ref);
  await notifier.health.add(table, ref, attempt);
  if (next.state === 'pending') {
    const delay = Math.ceil((next.due - now) / 1e6);
    const following = { ...delivery, attempts: attempt.attempt };
    // The queue cannot hold a message back any longer. The sweep finds such a delivery by its due time.
    if (delay <= LONGEST_DELAY_SECONDS) await deliveries.send([deliveryMessage(ref.org, following, delay)]);
  }
  return attempted(delivery, attempt);
}

/** Returns the state after an attempt. The schedule counts attempts from the last time that the delivery was put back. */
function nextAfter(
  { attemptsBefore = 0 }: Delivery,
  { outcome, attempt }: Attempt,
  now: Micros,
  retryAfter: string | undefined,
  random: () => number,
): Next {
  if (outcome === 'delivered') return { state: 'delivered' };
  if (outcome === 'gone') return { state: 'discarded' };
  const due = afterFailure(attempt - attemptsBefore, now, retryAfter, random);
  return due === 'dead' ? { state: 'dead' } : { state: 'pending', due };
}

async function applyLastAttempt(
  { services: { table }, health }: Notifier,
  ref: TargetRef,
  delivery: Delivery,
  onHealthChange: (ref: TargetRef) => void,
): Promise<void> {
  const last = await readLastAttempt(table, ref.org, delivery);
  if (!last) return;
  onHealthChange(ref);
  await health.add(table, ref, last);
}
