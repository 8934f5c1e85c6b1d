import { localDatabase, localObjects } from '#infra/local/clients.ts';
import { LOCAL } from '#infra/local/settings.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { storedKey } from '#shared/table/keys.ts';
import { Table } from '#shared/table/table.ts';
import { testId } from '#test/support/ids.ts';

/** Clients that read the stored data. */
export interface StoredData {
  table: Table;
  objects: ReturnType<typeof localObjects>;
  org: OrganizationId;
}

/** Makes clients that read the stored data directly, not through the proxies with the faults. */
export async function openStoredData(endpoints: { dynamodb: string; s3: string }, org: string): Promise<StoredData> {
  const table = new Table(localDatabase(endpoints.dynamodb), LOCAL.tableName);
  const record = await table.get(storedKey(`@ORG#${org}`, 'ORG'));
  return { table, objects: localObjects(endpoints.s3), org: testId(String(record?.['id'])) };
}
