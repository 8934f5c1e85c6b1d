import { setTimeout as sleep } from 'node:timers/promises';
import { marshall } from '@aws-sdk/util-dynamodb';
import { LOCAL } from '#infra/local/settings.ts';
import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { databaseAddress } from './table.ts';

/** The most items that the database takes in one call. */
const BATCH = 25;
/** Two calls at once keep the database busy while the next batch is made. */
const WIDTH = 2;

/** The local database reads the name of the key but does not check the signature. */
const HEADERS = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.BatchWriteItem',
  authorization: `AWS4-HMAC-SHA256 Credential=${LOCAL.credentials.accessKeyId}/20260101/${LOCAL.region}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
};

/**
 * Puts many items into this worker's database with plain HTTP calls. Tests of large tables use it: the SDK took 44 s of
 * processor time for 180,000 items.
 */
export async function fillTable(table: Table, items: readonly Item[]): Promise<void> {
  const address = databaseAddress();
  await inParallel(batchesOf(items, BATCH), WIDTH, async (batch) => {
    let requests: unknown[] = batch.map((item) => ({ PutRequest: { Item: marshall(item) } }));
    while (requests.length > 0) {
      const response = await fetch(address, {
        method: 'POST',
        headers: HEADERS,
        body: JSON.stringify({ RequestItems: { [table.name]: requests } }, binaryAsBase64),
      });
      if (!response.ok) throw new Error(`The database refused a batch: ${await response.text()}`);
      const { UnprocessedItems } = (await response.json()) as { UnprocessedItems?: Record<string, unknown[]> };
      requests = UnprocessedItems?.[table.name] ?? [];
      if (requests.length > 0) await sleep(50);
    }
  });
}

/** The database expects binary attributes in base64. */
const binaryAsBase64 = (_name: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
