import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { errorFacts } from '#shared/base/error-facts.ts';
import { type Log, messageLog } from '#shared/base/log-lines.ts';
import { attemptDelivery, type Notifier } from '#shared/notifications/attempt-delivery.ts';
import { containerHealth, type HealthWriter, type TargetRef } from '#shared/notifications/health-writer.ts';
import { DeliveryMessage } from '#shared/notifications/rules/records.ts';
import type { NotifierServices } from '#shared/notifications/services.ts';

interface NotifyOptions {
  health?: HealthWriter;
  random?: () => number;
  /** Limit of one request in milliseconds; default: ten seconds. */
  timeoutMillis?: number | undefined;
  log?: Log;
  wallClock?: () => number;
}

/**
 * Handles the messages of a batch in parallel, so that a slow target does not delay the others
 * (`rules/notifications.md#attempts`). A fault of a target is an outcome and completes the message. Only after a fault
 * of our own does the queue deliver the message again, without the others of the batch.
 */
export async function notify(
  event: SQSEvent,
  services: NotifierServices,
  options: NotifyOptions = {},
): Promise<SQSBatchResponse> {
  const { health = containerHealth, random = Math.random, timeoutMillis, log, wallClock } = options;
  const notifier: Notifier = { services, health, random, timeoutMillis };
  const line = messageLog('notifier', log, wallClock);
  const handle = async (record: SQSRecord): Promise<void> => {
    const targets = new Map<string, TargetRef>();
    try {
      const message = DeliveryMessage.parse(JSON.parse(record.body));
      const wasReceivedBefore = Number(record.attributes.ApproximateReceiveCount) > 1;
      const outcome = await attemptDelivery(notifier, message, wasReceivedBefore, (ref) =>
        targets.set(ref.target, ref),
      );
      const facts = { organization: message.org, action: message.action, delivery: message.delivery };
      if (outcome.kind === 'unknown') line('ERROR', 'A message names a delivery that is not there', record, facts);
      else line('INFO', 'Worked on a delivery', record, { ...facts, ...outcomeFacts(outcome) });
    } finally {
      await health.flush(services.table, targets.values());
    }
  };
  const outcomes = await Promise.allSettled(event.Records.map(handle));
  const failed = event.Records.filter((record, i) => {
    const outcome = outcomes[i];
    if (outcome?.status !== 'rejected') return false;
    line('ERROR', 'Working on a message failed; it comes again', record, errorFacts(outcome.reason));
    return true;
  });
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

type Handled = Exclude<Awaited<ReturnType<typeof attemptDelivery>>, { kind: 'unknown' }>;

function outcomeFacts(outcome: Handled): Record<string, unknown> {
  const requests = outcome.request === undefined ? [] : [outcome.request];
  if (outcome.kind !== 'attempted') return { outcome: outcome.kind, requests };
  const { attempt, outcome: word, status, duration, detail } = outcome.attempt;
  const { target } = outcome;
  // The detail of a mail names the error of the mail service. That of an address can repeat what its host answered.
  const fault = target === 'EMAIL' && word === 'failed' && { fault: detail };
  return { target, outcome: word, attempt, status, duration_ms: duration, requests, ...fault };
}
