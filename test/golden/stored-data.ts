import { BatchWriteItemCommand, DynamoDBClient, paginateScan, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, PutObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { LOCAL, localClient } from '#infra/local/settings.ts';
import { batchesOf } from '#shared/base/parallel.ts';
import type { Golden, RawItem, StoredObject } from './golden-file.ts';

/** The most items that the database takes in one call. */
const BATCH = 25;
/** Objects that no read of the API needs: archives, which have addresses only, and files before an attestation names them. */
const UNREAD = /^(exports|uploads)\//;

/** A table and a bucket on this machine. */
interface Place {
  database: string;
  table: string;
  s3: string;
}

/** Reads every item of a table and every object of a bucket that reads need, sorted by their keys. */
export async function readStored({ database, table, s3 }: Place): Promise<Pick<Golden, 'items' | 'objects'>> {
  return { items: await allItems(database, table), objects: await allObjects(s3) };
}

async function allItems(endpoint: string, table: string): Promise<RawItem[]> {
  const client = new DynamoDBClient(localClient(endpoint));
  const items: RawItem[] = [];
  try {
    for await (const { Items = [] } of paginateScan({ client }, { TableName: table, ConsistentRead: true })) {
      items.push(...Items);
    }
  } finally {
    client.destroy();
  }
  const keyOf = ({ pk, sk }: RawItem) => `${pk?.S}\n${sk?.S}`;
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

async function allObjects(endpoint: string): Promise<StoredObject[]> {
  const client = bucket(endpoint);
  const objects: StoredObject[] = [];
  try {
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: LOCAL.bucketName })) {
      for (const { Key = '' } of Contents) {
        if (!UNREAD.test(Key)) objects.push(await object(client, Key));
      }
    }
  } finally {
    client.destroy();
  }
  return objects.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

async function object(client: S3Client, key: string): Promise<StoredObject> {
  const { Body, ContentEncoding } = await client.send(new GetObjectCommand({ Bucket: LOCAL.bucketName, Key: key }));
  const bytes = (await Body?.transformToString('base64')) ?? '';
  return { key, ...(ContentEncoding !== undefined && { encoding: ContentEncoding }), bytes };
}

/** Writes items and objects into an empty table and an empty bucket. */
export async function writeStored(
  { database, table, s3 }: Place,
  { items, objects }: Pick<Golden, 'items' | 'objects'>,
): Promise<void> {
  const client = new DynamoDBClient(localClient(database));
  try {
    for (const batch of batchesOf(items, BATCH)) {
      let left: WriteRequest[] = batch.map((Item) => ({ PutRequest: { Item } }));
      while (left.length > 0) {
        const { UnprocessedItems } = await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: left } }));
        left = UnprocessedItems?.[table] ?? [];
      }
    }
  } finally {
    client.destroy();
  }
  const objectsClient = bucket(s3);
  try {
    for (const { key, encoding, bytes } of objects) {
      await objectsClient.send(
        new PutObjectCommand({
          Bucket: LOCAL.bucketName,
          Key: key,
          Body: Buffer.from(bytes, 'base64'),
          ...(encoding !== undefined && { ContentEncoding: encoding }),
        }),
      );
    }
  } finally {
    objectsClient.destroy();
  }
}

const bucket = (endpoint: string): S3Client => new S3Client({ ...localClient(endpoint), forcePathStyle: true });
