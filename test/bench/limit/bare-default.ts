import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { bareHandler } from './bare-calls.ts';

/** Entry of a bundle: bare calls with the SDK as it comes. The recorded parameters can contain undefined values. */

export const handler = bareHandler(
  DynamoDBDocumentClient.from(new DynamoDBClient(), { marshallOptions: { removeUndefinedValues: true } }),
  new S3Client(),
);
