import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import { recallList } from './records/keys.ts';
import { RECALLS, readVersionItems } from './records/versioned.ts';
import { RecallRecord } from './rules/recall-records.ts';
import type { Recall } from './rules/recalls.ts';

/** The recalls of an organization that are not deleted. */
export interface RecallsSince {
  /** As they were at an instant of the past. */
  past: Recall[];
  now: Recall[];
}

const isInForce = ({ deleted }: Recall): boolean => !deleted;

/** Reads the recalls that there were at an instant, as {@link readRecallsSince} says. */
export const readRecallsAt = async (table: Table, org: OrganizationId, at: Micros): Promise<Recall[]> =>
  (await readRecallsSince(table, org, at)).past;

/**
 * Reads the recalls that there were at an instant, as they were then, and those that there are now. Recalls that changed since cost a
 * Query each, those that came since cost nothing.
 *
 * @param at microseconds; recalls of this instant are included
 */
export async function readRecallsSince(table: Table, org: OrganizationId, at: Micros): Promise<RecallsSince> {
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
  return {
    past: then.filter((recall) => recall !== undefined).filter(isInForce),
    now: recalls.filter(isInForce),
  };
}
