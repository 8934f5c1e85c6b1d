import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Table } from '#shared/table/table.ts';
import { organizationList } from './records/keys.ts';

/** Reads ids of organizations in their order, beginning with `from`. An empty text stands for the beginning. */
export async function readOrganizationIds(table: Table, from: string, limit: number): Promise<OrganizationId[]> {
  const found = await table.query({ pk: organizationList, ...(from !== '' && { from }), limit });
  return found.map(({ sk }) => storedId(sk));
}
