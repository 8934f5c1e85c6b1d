import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import { bareHandler } from './bare-calls.ts';

/** Entry of a bundle: bare calls with the settings that the functions give their clients. */

export const handler = bareHandler(
  DynamoDBDocumentClient.from(new DynamoDBClient(CLIENT_SETTINGS), {
    marshallOptions: { removeUndefinedValues: true },
  }),
  new S3Client(CLIENT_SETTINGS),
);
