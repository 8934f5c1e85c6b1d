import type { DynamoDBRecord } from 'aws-lambda';
import type { OnRecords } from '#infra/local/events/event-source.ts';
import type { OnMessages } from '#infra/local/events/queues.ts';
import type { FaultSchedule } from './fault-schedule.ts';

/**
 * Disturbs the events that functions receive, as streams and queues may: records and messages come several times, and
 * order is kept only between records of one item (rules/storage.md#stream-and-relay).
 */

/** Shares of calls that are disturbed. */
const REPEATED = 0.05;
const LATE = 0.05;
const REORDERED = 0.2;
const FAILED = 0.05;

/** Repeats earlier batches, reorders records of different items, and reports records as failed that were processed. */
export function disturbedRecords(inner: OnRecords, { chance, counts }: FaultSchedule): OnRecords {
  let before: DynamoDBRecord[] = [];
  return async (event) => {
    if (before.length > 0 && chance(LATE)) {
      count(counts, 'stream: an earlier batch repeated');
      await inner({ Records: before });
    }
    const Records = chance(REORDERED) ? reordered(event.Records) : event.Records;
    const answer = await inner({ Records });
    before = event.Records;
    if (answer.batchItemFailures.length > 0) {
      // A place in the changed order says nothing about the stream's own order, so the whole batch is reported as failed.
      return { batchItemFailures: [failureOf(event.Records[0])] };
    }
    if (!chance(REPEATED)) return answer;
    count(counts, 'stream: a processed batch repeated');
    return { batchItemFailures: [failureOf(event.Records[Math.floor(event.Records.length / 2)])] };
  };
}

const failureOf = (record: DynamoDBRecord | undefined) => ({
  itemIdentifier: record?.dynamodb?.SequenceNumber ?? '',
});

/** Returns the records in another order. The records of one item stay in order. */
function reordered(records: readonly DynamoDBRecord[]): DynamoDBRecord[] {
  const byItem = Map.groupBy(records, ({ dynamodb }) => JSON.stringify(dynamodb?.Keys));
  return [...byItem.values()].reverse().flat();
}

/** Reorders messages, delivers them twice at the same time, and reports messages as failed that were processed. */
export function disturbedMessages(inner: OnMessages, { chance, counts }: FaultSchedule): OnMessages {
  return async (event) => {
    const Records = chance(REORDERED) ? event.Records.toReversed() : event.Records;
    const isDoubled = chance(REPEATED);
    if (isDoubled) count(counts, 'queue: messages twice at the same time');
    const [answer] = await Promise.all([inner({ Records }), ...(isDoubled ? [inner({ Records })] : [])]);
    if (!answer) throw new Error('The function returned no answer');
    const failed = event.Records.filter(() => chance(FAILED)).map(({ messageId }) => ({ itemIdentifier: messageId }));
    if (failed.length > 0) count(counts, 'queue: processed messages repeated');
    return { batchItemFailures: [...answer.batchItemFailures, ...failed] };
  };
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
