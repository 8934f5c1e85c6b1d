import type { OrganizationId } from '#shared/base/ids.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { recallList } from './records/keys.ts';
import { RecallRecord } from './rules/recall-records.ts';
import type { Recall } from './rules/recalls.ts';

/**
 * Reads the recalls of an organization that are not deleted, with one Query: there are few. A recall that cannot be read is an error
 * here and no placeholder: without it, evidence that nobody should trust would count.
 */
export const readRecalls = async (table: Table, org: OrganizationId): Promise<Recall[]> =>
  recallsIn(await table.query({ pk: recallList(org) }));

/** Reads the recalls that are not deleted from their items. */
export const recallsIn = (items: readonly Item[]): Recall[] =>
  items.map((item) => RecallRecord.parse(item)).filter(({ deleted }) => !deleted);
