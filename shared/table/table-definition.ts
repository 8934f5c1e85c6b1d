import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

/**
 * What every deployment of the single table has in common: string keys, the time-to-live attribute (epoch seconds) and
 * what its stream carries. The stacks and the local stack both read it, so that they cannot differ (design §1).
 */
export const TABLE = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'ttl', streamView: 'NEW_IMAGE' } as const;

/**
 * The table as the SDK creates it, for the local database. Time to live is not part of creation: it is switched on
 * afterwards with UpdateTimeToLive on {@link TABLE}`.timeToLive`.
 *
 * @param name the table's name
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
