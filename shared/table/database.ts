import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';

import { meter } from './meter.ts';

/** Creates the client of the database. Its calls are counted and have time limits. */
export const databaseClient = (settings: DynamoDBClientConfig = {}): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(meter(new DynamoDBClient({ ...CLIENT_SETTINGS, ...settings }), 'DynamoDB'), {
    marshallOptions: { removeUndefinedValues: true },
  });
