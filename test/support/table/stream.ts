import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { toFunctionRecord } from '#infra/local/events/stream-records.ts';
import type { Item } from '#shared/table/table.ts';

let sequence = 0;

/** The record that the table's stream has of an item as a write left it. */
export function streamRecord(item: Item, eventName: 'INSERT' | 'MODIFY' = 'INSERT'): DynamoDBRecord {
  sequence += 1;
  return toFunctionRecord(
    {
      eventID: `event-${sequence}`,
      eventName,
      dynamodb: {
        Keys: marshall({ pk: item.pk, sk: item.sk }),
        NewImage: marshall(item, { removeUndefinedValues: true }),
        SequenceNumber: String(sequence).padStart(21, '0'),
        StreamViewType: 'NEW_IMAGE',
      },
    },
    'arn:aws:dynamodb:eu-central-1:000000000000:table/evidence/stream/1',
  );
}

/** A batch of the stream, in the order given. */
export const streamEvent = (items: readonly Item[]): DynamoDBStreamEvent => ({
  Records: items.map((item) => streamRecord(item)),
});
