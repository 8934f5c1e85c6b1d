import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import { USER_AGENT } from '#shared/base/user-agent.ts';
import { meter } from './meter.ts';

/**
 * The client of the database: its calls are counted and bounded in time. Two of the SDK's steps are left out, since a
 * request makes up to dozens of calls: its own log goes nowhere here, and to make its lines every answer is copied, item
 * by item; and it puts together the same description of itself anew for every call.
 */
export function databaseClient(settings: DynamoDBClientConfig = {}): DynamoDBDocumentClient {
  const client = meter(new DynamoDBClient({ ...CLIENT_SETTINGS, ...settings }), 'DynamoDB');
  client.middlewareStack.remove('loggerMiddleware');
  client.middlewareStack.remove('getUserAgentMiddleware');
  client.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers['user-agent'] = USER_AGENT;
      return next(args);
    },
    { step: 'build', name: 'user-agent' },
  );
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
