import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import { recallList } from './records/keys.ts';
import { RECALLS, readVersionItems } from './records/versioned.ts';
import { RecallRecord } from './rules/recall-records.ts';
import type { Recall } from './rules/recalls.ts';

/**
 * Reads the recalls that there were at an instant, as they were then. Recalls that changed since cost a Query each.
 *
 * @param at microseconds; recalls of this instant are included
 */
export async function readRecallsAt(table: Table, org: OrganizationId, at: Micros): Promise<Recall[]> {
  const recalls = (await table.query({ pk: recallList(org) })).map((item) => RecallRecord.parse(item));
  const then = await Promise.all(
    recalls
      .filter(({ createdAt }) => createdAt <= at)
      .map(async (recall) => {
        if (recall.changedAt <= at) return recall;
        const range = { name: recall.name, from: 1, to: recall.version - 1 };
        const versions = await readVersionItems(RECALLS, table, org, range);
        return versions.map((item) => RecallRecord.parse(item)).find(({ changedAt }) => changedAt <= at);
      }),
  );
  return then.filter((recall) => recall !== undefined).filter(({ deleted }) => !deleted);
}
