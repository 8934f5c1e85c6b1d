import type { DynamoDBRecord } from 'aws-lambda';
import type { OnMessages } from '#infra/local/events/queues.ts';
import type { OnRecords } from '#infra/local/events/stream.ts';
import type { Weather } from './weather.ts';

/** What streams and queues may do to those who read them: at least once, in order of an item at most (design §2.8). */

const AGAIN = 0.05;
const LATE = 0.05;
const MIXED = 0.2;
const UNDONE = 0.05;

/** Batches of old come once more, items change places, and what was done is said not to be. */
export function disturbedRecords(inner: OnRecords, { chance, counts }: Weather): OnRecords {
  let before: DynamoDBRecord[] = [];
  return async (event) => {
    if (before.length > 0 && chance(LATE)) {
      note(counts, 'stream: an old batch again');
      await inner({ Records: before });
    }
    const Records = chance(MIXED) ? mixed(event.Records) : event.Records;
    const answer = await inner({ Records });
    before = event.Records;
    if (answer.batchItemFailures.length > 0) {
      // A place in the mixed order is none in the stream's own: all of it comes again.
      return { batchItemFailures: [failureOf(event.Records[0])] };
    }
    if (!chance(AGAIN)) return answer;
    note(counts, 'stream: a batch done and sent again');
    return { batchItemFailures: [failureOf(event.Records[Math.floor(event.Records.length / 2)])] };
  };
}

const failureOf = (record: DynamoDBRecord | undefined) => ({
  itemIdentifier: record?.dynamodb?.SequenceNumber ?? '',
});

/** Items in another order; what happened to one item stays in its own. */
function mixed(records: readonly DynamoDBRecord[]): DynamoDBRecord[] {
  const byItem = Map.groupBy(records, ({ dynamodb }) => JSON.stringify(dynamodb?.Keys));
  return [...byItem.values()].reverse().flat();
}

/** Messages change places, come twice at the same time, and come again though they were done. */
export function disturbedMessages(inner: OnMessages, { chance, counts }: Weather): OnMessages {
  return async (event) => {
    const Records = chance(MIXED) ? event.Records.toReversed() : event.Records;
    const both = chance(AGAIN);
    if (both) note(counts, 'queue: messages twice at once');
    const [answer] = await Promise.all([inner({ Records }), ...(both ? [inner({ Records })] : [])]);
    if (!answer) throw new Error('There was no answer');
    const undone = event.Records.filter(() => chance(UNDONE)).map(({ messageId }) => ({ itemIdentifier: messageId }));
    if (undone.length > 0) note(counts, 'queue: messages done and sent again');
    return { batchItemFailures: [...answer.batchItemFailures, ...undone] };
  };
}

function note(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
