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
import { LOCAL, localClient } from './settings.ts';

/** Creates a client of a local database with the settings of the deployed functions. */
export const localDatabase = (endpoint: string): DynamoDBDocumentClient => databaseClient(localClient(endpoint));

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
