import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { localDatabase } from '#infra/local/clients.ts';
import type { Stored } from './run.ts';

/** Looks at all items of an organization, which the service itself never does. */
export const storedIn =
  (endpoint: string, table: string): Stored =>
  async (org) => {
    const client = localDatabase(endpoint);
    const items: string[] = [];
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
      items.push(...(page.Items ?? []).map((item) => JSON.stringify(item)));
      start = page.LastEvaluatedKey;
    } while (start);
    client.destroy();
    return items.sort();
  };
