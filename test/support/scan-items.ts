import { BatchGetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { localDatabase } from '#infra/local/clients.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { batchesOf } from '#shared/base/parallel.ts';
import type { Item, Key } from '#shared/table/table.ts';
import { isNoted, writtenKeysOf } from './written-keys.ts';

/** The most keys that the database takes in one call. */
const BATCH = 100;

/** Tables whose items were found by their keys. */
const tablesReadByKey = new Set<string>();

/**
 * Every item of an organization as it lies in a local table, in no order. They are found by the keys that this process
 * wrote; {@link unnotedKeys} shows that these are all.
 */
export async function scanItems(endpoint: string, table: string, org: OrganizationId): Promise<Item[]> {
  tablesReadByKey.add(table);
  const client = localDatabase(endpoint);
  const items: Item[] = [];
  const keys = writtenKeysOf(table, org);
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
  client.destroy();
  return items;
}

/** Keys of a table that `scanItems` cannot know of, by a scan of the whole table; none where nobody asked for items. */
export async function unnotedKeys(endpoint: string, table: string): Promise<Key[]> {
  if (!tablesReadByKey.delete(table)) return [];
  const client = localDatabase(endpoint);
  const found: Key[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName: table,
        ConsistentRead: true,
        ProjectionExpression: 'pk, sk',
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    found.push(...(Items as Key[]).filter((key) => !isNoted(table, key)));
    start = LastEvaluatedKey;
  } while (start);
  client.destroy();
  return found;
}
