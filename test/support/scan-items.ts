import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { localDatabase } from '#infra/local/clients.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { Item } from '#shared/table/table.ts';

/** Every item of an organization as it lies in a local table, in no order: the service itself never scans. */
export async function scanItems(endpoint: string, table: string, org: OrganizationId): Promise<Item[]> {
  const client = localDatabase(endpoint);
  const items: Item[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: table,
        ConsistentRead: true,
        FilterExpression: 'begins_with(pk, :org)',
        ExpressionAttributeValues: { ':org': `${org}#` },
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    items.push(...((page.Items ?? []) as Item[]));
    start = page.LastEvaluatedKey;
  } while (start);
  client.destroy();
  return items;
}
