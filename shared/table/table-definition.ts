import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

/**
 * Properties of the single table in every deployment: string keys, the time-to-live attribute (epoch seconds) and the
 * content of its stream, and how many days back it can be restored: the longest time that DynamoDB offers. The stacks and the
 * local stack both use this definition.
 */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  timeToLive: 'ttl',
  streamView: 'NEW_IMAGE',
  recoveryDays: 35,
} as const;

/**
 * Returns the input that creates the table in the local database. Time to live is not part of it; UpdateTimeToLive on
 * {@link TABLE}`.timeToLive` switches it on.
 * @param name name of the table
 */
export const createTableInput = (name: string): CreateTableCommandInput => ({
  TableName: name,
  AttributeDefinitions: [
    { AttributeName: TABLE.partitionKey, AttributeType: 'S' },
    { AttributeName: TABLE.sortKey, AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: TABLE.partitionKey, KeyType: 'HASH' },
    { AttributeName: TABLE.sortKey, KeyType: 'RANGE' },
  ],
  BillingMode: 'PAY_PER_REQUEST',
  StreamSpecification: { StreamEnabled: true, StreamViewType: TABLE.streamView },
});
