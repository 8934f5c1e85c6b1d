import { setTimeout as sleep } from 'node:timers/promises';
import { marshall } from '@aws-sdk/util-dynamodb';
import { LOCAL } from '#infra/local/settings.ts';
import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { databaseAddress } from '../table.ts';

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
export const fillTable = (table: Table, items: readonly Item[]): Promise<void> =>
  putJson(databaseAddress(), table.name, items, (item) => JSON.stringify(marshall(item), binaryAsBase64));

/**
 * Puts items whose JSON the caller makes, a batch at a time. What the database leaves out is sent again.
 * @param jsonOf returns an item in the database's own JSON
 */
export async function putJson<T>(
  address: string,
  table: string,
  items: readonly T[],
  jsonOf: (item: T) => string,
): Promise<void> {
  await inParallel(batchesOf(items, BATCH), WIDTH, async (batch) => {
    let requests = batch.map((item) => `{"PutRequest":{"Item":${jsonOf(item)}}}`).join(',');
    while (requests !== '') {
      const body = `{"RequestItems":{${JSON.stringify(table)}:[${requests}]}}`;
      const response = await fetch(address, { method: 'POST', headers: HEADERS, body });
      if (!response.ok) throw new Error(`The database refused a batch: ${await response.text()}`);
      const { UnprocessedItems } = (await response.json()) as { UnprocessedItems?: Record<string, unknown[]> };
      requests = (UnprocessedItems?.[table] ?? []).map((request) => JSON.stringify(request)).join(',');
      if (requests !== '') await sleep(50);
    }
  });
}

/** The database expects binary attributes in base64. */
export const binaryAsBase64 = (_name: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
