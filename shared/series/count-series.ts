import { recountFrom, settleSeries } from './facets.ts';
import type { SeriesContext, SeriesWork } from './series-context.ts';

/**
 * Appends the milestones of a series, or counts the series again from an entry that appeared late
 * (rules/lists.md#milestones). If the time is over before the work is done, the rest is handed over.
 */
export async function countSeries(
  { table, clock, kinds, memory: { months }, isTime, handOver }: SeriesContext,
  work: SeriesWork,
): Promise<void> {
  const { org, series } = work;
  const now = clock.now();
  if (work.work === 'recount') {
    const left = await recountFrom(table, org, kinds, series, work.entries, now, months, { isTime });
    if (left === 'recount') await handOver(work);
    if (left === 'settle') await handOver({ work: left, org, series });
    return;
  }
  const { isDone } = await settleSeries(table, org, kinds, series, now, months, { isTime });
  if (!isDone) await handOver(work);
}
