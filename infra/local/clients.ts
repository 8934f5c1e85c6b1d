import { S3Client } from '@aws-sdk/client-s3';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import { Objects } from '#shared/bodies/objects.ts';
import { databaseClient } from '#shared/table/database.ts';
import { meter } from '#shared/table/meter.ts';
import { LOCAL, localClient } from './settings.ts';

/** A client of a local database, set up as that of the deployed functions is. */
export const localDatabase = (endpoint: string): DynamoDBDocumentClient => databaseClient(localClient(endpoint));

/** The evidence bucket on a local endpoint, whose addresses are by path: buckets have no host names here. */
export const localObjects = (endpoint: string): Objects =>
  new Objects(
    meter(new S3Client({ ...localClient(endpoint), ...CLIENT_SETTINGS, forcePathStyle: true }), 'S3'),
    LOCAL.bucketName,
  );
