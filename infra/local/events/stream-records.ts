import type { _Record, AttributeValue as StreamValue } from '@aws-sdk/client-dynamodb-streams';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { LOCAL } from '../settings.ts';

/** Returns a record of the stream in the form that Lambda passes to functions: times in seconds, bytes in base64. */
export function toFunctionRecord(record: _Record, streamArn: string): DynamoDBRecord {
  const {
    ApproximateCreationDateTime: at,
    Keys,
    NewImage,
    OldImage,
    SequenceNumber,
    SizeBytes,
    StreamViewType,
  } = record.dynamodb ?? {};
  return {
    ...(record.eventID !== undefined && { eventID: record.eventID }),
    ...(record.eventName !== undefined && { eventName: record.eventName }),
    eventVersion: record.eventVersion ?? '1.1',
    eventSource: 'aws:dynamodb',
    eventSourceARN: streamArn,
    awsRegion: LOCAL.region,
    dynamodb: {
      ...(at && { ApproximateCreationDateTime: at.getTime() / 1000 }),
      ...(Keys && { Keys: values(Keys) }),
      ...(NewImage && { NewImage: values(NewImage) }),
      ...(OldImage && { OldImage: values(OldImage) }),
      ...(SequenceNumber !== undefined && { SequenceNumber }),
      ...(SizeBytes !== undefined && { SizeBytes }),
      ...(StreamViewType !== undefined && { StreamViewType }),
    },
    // DynamoDB marks items that it removed because of their time to live.
    ...(record.userIdentity && {
      userIdentity: { type: record.userIdentity.Type, principalId: record.userIdentity.PrincipalId },
    }),
  };
}

const values = (image: Record<string, StreamValue>): Record<string, AttributeValue> =>
  Object.fromEntries(Object.entries(image).map(([name, value]) => [name, toFunctionValue(value)]));

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

function toFunctionValue(value: StreamValue): AttributeValue {
  if (value.B) return { B: base64(value.B) };
  if (value.BS) return { BS: value.BS.map(base64) };
  if (value.L) return { L: value.L.map(toFunctionValue) };
  if (value.M) return { M: values(value.M) };
  // DynamoDB Local hands out an empty map as a value without a type.
  if (Object.keys(value).length === 0) return { M: {} };
  // The other kinds of values are the same in both types: texts, numbers, booleans and their lists.
  return value as AttributeValue;
}
