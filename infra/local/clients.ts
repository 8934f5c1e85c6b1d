import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import { ExportFiles } from '#shared/bodies/export-files.ts';
import { Objects } from '#shared/bodies/objects.ts';
import type { SigningKeys } from '#shared/signing/keys.ts';
import { kmsKeys } from '#shared/signing/kms-keys.ts';
import { databaseClient } from '#shared/table/database.ts';
import { meter } from '#shared/table/meter.ts';
import { LOCAL, localClient, UNSIGNED } from './settings.ts';

/**
 * The local database reads the access key id of a request and does not check the signature. Signing would take a fifth of
 * the client's processor time.
 */
const unsigned: DynamoDBClientConfig['signer'] = {
  sign: async (request) => {
    request.headers['authorization'] = UNSIGNED;
    request.headers['x-amz-date'] = '20260101T000000Z';
    return request;
  },
};

/** Names of the commands that write. */
const WRITES = /^(Put|Update|Delete|BatchWrite|TransactWrite)/;

/** Creates a client of a local database with the settings of the deployed functions. */
export const localDatabase = (endpoint: string): DynamoDBDocumentClient =>
  databaseClient({ ...localClient(endpoint), signer: unsigned });

/** Calls `onWrite` after each write of a client of the database. A write that failed may have been applied too. */
export function afterWrites(client: DynamoDBDocumentClient, onWrite: () => void): DynamoDBDocumentClient {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        try {
          return await next(args);
        } finally {
          if (WRITES.test(commandName)) onWrite();
        }
      },
    { step: 'initialize', name: 'after-writes' },
  );
  return client;
}

/** Creates a client of the evidence bucket. Addresses contain the bucket in the path: local buckets have no host names. */
const localBucket = (endpoint: string): S3Client =>
  meter(new S3Client({ ...localClient(endpoint), ...CLIENT_SETTINGS, forcePathStyle: true }), 'S3');

export const localObjects = (endpoint: string): Objects => new Objects(localBucket(endpoint), LOCAL.bucketName);

export const localExportFiles = (endpoint: string): ExportFiles =>
  new ExportFiles(localBucket(endpoint), LOCAL.bucketName);

/** The key server knows its keys by their names. */
export const localKeys = (endpoint: string): SigningKeys =>
  kmsKeys(meter(new KMSClient({ ...localClient(endpoint), ...CLIENT_SETTINGS }), 'KMS'), {
    log: 'log',
    witness: 'witness',
    statement: 'statement',
  });
