import { randomUUID } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';
import { LOCAL } from '../settings.ts';
import type { GiveUpReason } from './retries.ts';

/** Records of one shard that the event source has given up. */
export interface GivenUp {
  shard: string;
  streamArn: string;
  records: readonly DynamoDBRecord[];
  reason: GiveUpReason;
  /** Calls of the function with these records. */
  calls: number;
}

/**
 * Returns the message that the event source sends to its failure destination. As in a region, the message names the place
 * of the records in the stream and does not contain the records.
 */
export function failureMessage({ shard, streamArn, records, reason, calls }: GivenUp, now = new Date()) {
  const [first, last] = [records.at(0)?.dynamodb, records.at(-1)?.dynamodb];
  const arrival = (seconds: number | undefined) =>
    new Date((seconds ?? 0) * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    requestContext: {
      requestId: randomUUID(),
      functionArn: `arn:aws:lambda:${LOCAL.region}:000000000000:function:relay`,
      condition: reason,
      approximateInvokeCount: calls,
    },
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: null },
    version: '1.0',
    timestamp: now.toISOString(),
    DDBStreamBatchInfo: {
      shardId: shard,
      startSequenceNumber: first?.SequenceNumber,
      endSequenceNumber: last?.SequenceNumber,
      approximateArrivalOfFirstRecord: arrival(first?.ApproximateCreationDateTime),
      approximateArrivalOfLastRecord: arrival(last?.ApproximateCreationDateTime),
      batchSize: records.length,
      streamArn,
    },
  };
}
