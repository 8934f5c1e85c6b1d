import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type Duration, StoredMicros } from '#shared/base/time.ts';
import { WRITTEN_EVERY } from '#shared/base/write-times.ts';
import type { Item } from '#shared/table/table.ts';
import { dueSeriesKey, dueSeriesList } from './keys.ts';
import { SETTLING_MICROS } from './milestones.ts';
import type { SeriesContext } from './series-context.ts';
import { settle } from './update-series.ts';

const DueSeries = z.object({ sk: z.string(), at: StoredMicros });

/**
 * After this time without new entries, a series or an organization needs no sweep any more. The relay lists it once a
 * minute while there are new entries, so the last entry can be up to a minute later than the listed time, and then the
 * entry has to settle. The factor 2 is a margin.
 */
export const DONE_AFTER: Duration = 2 * (SETTLING_MICROS + WRITTEN_EVERY);

/** Series of one organization that are swept at the same time. */
const WIDTH = 4;

/** The parts of a sweep, of which a failed one does not stop the others. */
interface Parts {
  attempt<T>(facts: Record<string, unknown>, work: () => Promise<T>): Promise<T | null>;
}

/**
 * Finishes the work that no further stream record would start: milestones of series whose last entries had not settled
 * when they arrived (`rules/lists.md#settling`).
 * @returns whether no series is listed any more
 */
export async function sweepDueSeries(context: SeriesContext, parts: Parts, org: OrganizationId): Promise<boolean> {
  const due = await context.table.query({ pk: dueSeriesList(org) });
  const done = await inParallel(due, WIDTH, (item) =>
    parts.attempt({ organization: org, series: item.sk }, () => sweepOne(context, org, item)),
  );
  return done.every((isDone) => isDone === true);
}

/** @returns whether the series was removed from the list */
async function sweepOne(context: SeriesContext, org: OrganizationId, item: Item): Promise<boolean> {
  const { sk: series, at } = DueSeries.parse(item);
  const { table, clock } = context;
  const now = clock.now();
  if (at > now - SETTLING_MICROS) return false;
  const isSettled = await settle(context, org, series, now);
  if (!isSettled || at > now - DONE_AFTER) return false;
  const outcome = await table.write({
    remove: dueSeriesKey(org, series),
    ConditionExpression: '#at = :at',
    ExpressionAttributeNames: { '#at': 'at' },
    ExpressionAttributeValues: { ':at': at },
    // New entries have arrived since the list was read, so the series stays listed.
    refused: () => 'listed again' as const,
  });
  return outcome === 'done';
}
