import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { CLIENT_LIMITS } from '../client-limits.ts';
import { meter } from './meter.ts';

/**
 * The client of the database: its calls are counted and bounded in time. The SDK's own log goes nowhere here, and to
 * make its lines every answer is copied, item by item: it is left out.
 */
export function databaseClient(settings: DynamoDBClientConfig = {}): DynamoDBDocumentClient {
  const client = meter(new DynamoDBClient({ ...CLIENT_LIMITS, ...settings }), 'DynamoDB');
  client.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
