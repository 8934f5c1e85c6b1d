import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { errorFacts } from '#shared/base/error-facts.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type RelayLog, relayLog } from '#shared/http/relay-log.ts';
import { sendAsked, tell } from '#shared/notifications/deliver.ts';
import type { RelayServices } from '#shared/notifications/services.ts';
import { keepActivity, keepSeries, keepWaiting, type Relay } from './effects.ts';
import { environmentEffects } from './environment-effects.ts';
import { containerMemory, type RelayMemory } from './memory.ts';
import { type AskedEvaluation, readBatch } from './read-batch.ts';

/** Effects of one batch that are had at the same time. */
const WIDTH = 8;

export interface RelayOptions {
  memory?: RelayMemory;
  log?: RelayLog;
}

/**
 * Turns a batch of the table's stream into its effects (design §2.7, §2.9, §4.2): months and milestones of the series
 * that had traffic, the latest activity of flows and repositories, notifications, what snapshots and evidence mean for environments.
 * Every effect is conditional or the same each time, so a batch may come again.
 * @returns the first record from which on the batch must come again, in the stream's order; nothing when all is done
 */
export async function relay(
  event: DynamoDBStreamEvent,
  services: RelayServices,
  { memory = containerMemory, log = relayLog(event.Records[0]?.eventID ?? 'none') }: RelayOptions = {},
): Promise<DynamoDBBatchResponse> {
  const context: Relay = { services, memory, log };
  const batch = readBatch(event.Records);
  const failed: number[] = [];
  const effects = [
    ...batch.series.map((traffic) => ({ record: traffic.record, have: () => keepSeries(context, traffic) })),
    ...batch.activities.map((news) => ({ record: news.record, have: () => keepActivity(context, news) })),
    ...batch.events.map((news) => ({ record: news.record, have: () => tell(services, news) })),
    ...environmentEffects({ services, memory, log }, batch.environments),
    ...batch.asked.slice(0, 1).map(({ record }) => ({ record, have: () => sendAsked(services, batch.asked) })),
    ...batch.evaluations.slice(0, 1).map(({ record }) => ({ record, have: () => ask(services, batch.evaluations) })),
  ];
  // Old news that still waits belongs to no record: where it cannot be written, the batch comes again as a whole.
  const last = { record: 0, have: () => keepWaiting(context) };
  const attempt = async ({ record, have }: typeof last) => {
    try {
      await have();
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

/** Sends what asks the evaluator for its work; to be asked twice makes it work once (semantics §8.1). */
const ask = ({ evaluations }: Pick<RelayServices, 'evaluations'>, asked: readonly AskedEvaluation[]): Promise<void> =>
  evaluations.send(asked.map(({ org, id }) => ({ body: { org, id }, group: org })));
