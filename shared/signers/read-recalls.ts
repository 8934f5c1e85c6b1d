import type { OrganizationId } from '#shared/base/ids.ts';
import type { Table } from '#shared/table/table.ts';
import { recallList } from './records/keys.ts';
import { RecallRecord } from './rules/recall-records.ts';
import type { Recall } from './rules/recalls.ts';

/**
 * Reads the recalls of an organization that are not deleted, with one Query: there are few. A recall that cannot be read is an error
 * here and no placeholder: without it, evidence that nobody should trust would count.
 */
export async function readRecalls(table: Table, org: OrganizationId): Promise<Recall[]> {
  const items = await table.query({ pk: recallList(org) });
  return items.map((item) => RecallRecord.parse(item)).filter(({ deleted }) => !deleted);
}
