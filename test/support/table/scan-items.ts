import { BatchGetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { localDatabase } from '#infra/local/clients.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { batchesOf } from '#shared/base/parallel.ts';
import type { Item, Key } from '#shared/table/table.ts';
import { isRecorded, writtenKeysOf } from './written-keys.ts';

/** The most keys that the database takes in one call. */
const BATCH = 100;

/** One client per database: a new client for each call takes as much processor time as the call. */
const readers = new Map<string, ReturnType<typeof localDatabase>>();

function readerOf(endpoint: string): ReturnType<typeof localDatabase> {
  const reader = readers.get(endpoint) ?? localDatabase(endpoint);
  readers.set(endpoint, reader);
  return reader;
}

/** Tables whose items were found by their keys. */
const tablesReadByKey = new Set<string>();

/**
 * Every item of an organization as it lies in a local table, in no order. They are found by the keys that this process
 * wrote; {@link unnotedKeys} shows that these are all.
 *
 * @param after returns only items that were written after this many recorded writes (`recordedCount`)
 */
export async function scanItems(endpoint: string, table: string, org: OrganizationId, after = 0): Promise<Item[]> {
  tablesReadByKey.add(table);
  const client = readerOf(endpoint);
  const items: Item[] = [];
  const keys = writtenKeysOf(table, org, after);
  for (const batch of batchesOf(keys, BATCH)) {
    let asked: Key[] = batch;
    while (asked.length > 0) {
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [table]: { Keys: asked, ConsistentRead: true } } }),
      );
      items.push(...((Responses?.[table] ?? []) as Item[]));
      asked = (UnprocessedKeys?.[table]?.Keys ?? []) as Key[];
    }
  }
  return items;
}

/** Keys of a table that `scanItems` cannot know of, by a scan of the whole table; none where nobody asked for items. */
export async function unnotedKeys(endpoint: string, table: string): Promise<Key[]> {
  if (!tablesReadByKey.delete(table)) return [];
  const keys = (await scanTable(endpoint, table, { ProjectionExpression: 'pk, sk' })) as Key[];
  return keys.filter((key) => !isRecorded(table, key));
}

/** Every item of a local table, in no order. For small tables: it reads all that the tests of a file stored. */
export async function scanTable(endpoint: string, table: string, more: object = {}): Promise<Item[]> {
  const client = readerOf(endpoint);
  const found: Item[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({ TableName: table, ConsistentRead: true, ...more, ...(start && { ExclusiveStartKey: start }) }),
    );
    found.push(...(Items as Item[]));
    start = LastEvaluatedKey;
  } while (start);
  return found;
}
