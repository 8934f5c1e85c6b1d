import type { S3Client } from '@aws-sdk/client-s3';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  ExecuteStatementCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

/** A handler that makes given calls of the SDK and nothing else. It is bundled like a function. */

/** A call of the SDK. */
export interface BareCall {
  /** Name of the SDK's command, such as `TransactWriteItemsCommand`. */
  command: string;
  input: Record<string, unknown>;
}

/** Calls of one level run in parallel, after the calls of the level before. */
export type BareEvent = readonly (readonly BareCall[])[];

export const bareHandler =
  (database: DynamoDBDocumentClient, bucket: S3Client) =>
  async (levels: BareEvent): Promise<{ statusCode: number }> => {
    for (const calls of levels) await Promise.all(calls.map((call) => send(database, bucket, call)));
    return { statusCode: 200 };
  };

async function send(database: DynamoDBDocumentClient, bucket: S3Client, { command, input }: BareCall) {
  const given = input as never;
  if (command.startsWith('PutObject')) return bucket.send(new PutObjectCommand(given));
  if (command.startsWith('GetObject')) {
    const { Body } = await bucket.send(new GetObjectCommand(given));
    return Body?.transformToByteArray();
  }
  if (command.startsWith('TransactWrite')) return database.send(new TransactWriteCommand(given));
  if (command.startsWith('BatchWrite')) return database.send(new BatchWriteCommand(given));
  if (command.startsWith('BatchGet')) return database.send(new BatchGetCommand(given));
  if (command.startsWith('Get')) return database.send(new GetCommand(given));
  if (command.startsWith('Query')) return database.send(new QueryCommand(given));
  if (command.startsWith('ExecuteStatement')) return database.send(new ExecuteStatementCommand(given));
  if (command.startsWith('Put')) return database.send(new PutCommand(given));
  if (command.startsWith('Update')) return database.send(new UpdateCommand(given));
  if (command.startsWith('Delete')) return database.send(new DeleteCommand(given));
  throw new Error(`The benchmark cannot repeat ${command}`);
}
