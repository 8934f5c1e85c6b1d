import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { errorFacts } from '#shared/base/error-facts.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type RelayLog, relayLog } from '#shared/http/relay-log.ts';
import { deliverEvents, sendRequested } from '#shared/notifications/deliver.ts';
import type { RelayServices } from '#shared/notifications/services.ts';
import { type Relay, updateActivity, updateSeries, writePostponedActivities } from './effects.ts';
import { type Effect, environmentEffects } from './environment-effects.ts';
import { containerMemory, type RelayMemory } from './memory.ts';
import { type RequestedEvaluation, readBatch } from './read-batch.ts';

/** Effects of one batch that are applied at the same time. */
const WIDTH = 8;

export interface RelayOptions {
  memory?: RelayMemory;
  log?: RelayLog;
}

/**
 * Applies the effects of a batch of the table's stream (`rules/storage.md#effects`): months and milestones of series
 * with new entries, the latest activity of flows and repositories, notifications, messages that endpoints asked for,
 * and effects of snapshots and evidence on environments. Each effect is conditional or writes the same each time, so
 * the stream may deliver a batch again.
 * @returns the first record from which on the stream has to deliver the batch again; no record if all effects succeeded
 * @throws Error if a failed record has no sequence number
 */
export async function relay(
  event: DynamoDBStreamEvent,
  services: RelayServices,
  { memory = containerMemory, log = relayLog(event.Records[0]?.eventID ?? 'none') }: RelayOptions = {},
): Promise<DynamoDBBatchResponse> {
  const context: Relay = { services, memory, log };
  const batch = readBatch(event.Records);
  const failed: number[] = [];
  const effects: Effect[] = [
    ...batch.series.map((traffic) => ({ record: traffic.record, run: () => updateSeries(context, traffic) })),
    ...batch.activities.map((news) => ({ record: news.record, run: () => updateActivity(context, news) })),
    ...batch.events.map((news) => ({ record: news.record, run: () => deliverEvents(services, news) })),
    ...environmentEffects({ services, memory, log }, batch.environments),
    ...batch.deliveries.slice(0, 1).map(({ record }) => ({
      record,
      run: () => sendRequested(services, batch.deliveries),
    })),
    ...batch.evaluations.slice(0, 1).map(({ record }) => ({
      record,
      run: () => sendEvaluations(services, batch.evaluations),
    })),
  ];
  // A postponed activity belongs to no record of this batch. If it cannot be written, the whole batch is retried.
  const last: Effect = { record: 0, run: () => writePostponedActivities(context) };
  const attempt = async ({ record, run }: Effect) => {
    try {
      await run();
    } catch (error) {
      failed.push(record);
      log('An effect of a record of the stream failed; the record comes again', {
        event: event.Records[record]?.eventID ?? null,
        ...errorFacts(error),
      });
    }
  };
  await inParallel(effects, WIDTH, attempt);
  await attempt(last);
  if (batch.unreadable) {
    failed.push(batch.unreadable.record);
    log('A record of the stream could not be read; it comes again alone', {
      event: event.Records[batch.unreadable.record]?.eventID ?? null,
      ...errorFacts(batch.unreadable.cause),
    });
  }
  if (failed.length === 0) return { batchItemFailures: [] };
  const first = event.Records[Math.min(...failed)]?.dynamodb?.SequenceNumber;
  if (first === undefined) throw new Error('A failed record of the stream has no sequence number');
  return { batchItemFailures: [{ itemIdentifier: first }] };
}

/**
 * Sends the messages of evaluations that endpoints created. The evaluator works once, however often it gets a message.
 */
const sendEvaluations = (
  { evaluations }: Pick<RelayServices, 'evaluations'>,
  requested: readonly RequestedEvaluation[],
): Promise<void> => evaluations.send(requested.map(({ org, id }) => ({ body: { org, id }, group: org })));
