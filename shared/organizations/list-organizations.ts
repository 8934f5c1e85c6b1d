import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Table } from '#shared/table/table.ts';
import { organizationList } from './records/keys.ts';

/**
 * Reads ids of organizations in their order.
 * @param from the first id that is read; an empty text stands for the beginning
 * @param limit the most ids that are read
 */
export async function readOrganizationIds(table: Table, from: string, limit: number): Promise<OrganizationId[]> {
  const found = await table.query({ pk: organizationList, ...(from !== '' && { from }), limit });
  return found.map(({ sk }) => storedId(sk));
}
