import { type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { facetsOf, listDueSeries, recordMonthOnce, settleSeries } from './facets.ts';
import { SETTLING_MICROS, stretchAround } from './milestones.ts';
import type { SeriesContext } from './series-context.ts';
import { monthOf, type SeriesEntry } from './series-entries.ts';

/** New entries of one base series. */
export interface SeriesTraffic {
  org: OrganizationId;
  series: string;
  months: Set<string>;
  entries: SeriesEntry[];
}

/** Logs an unexpected event. */
type Log = (message: string, facts: Record<string, unknown>) => void;

/**
 * Updates a series after new entries: registers their months, then settles the series once a minute, then counts late
 * entries (`rules/lists.md#milestones`).
 */
export async function updateSeries(context: SeriesContext & { log: Log }, traffic: SeriesTraffic): Promise<void> {
  const { table, clock, kinds, memory } = context;
  const { org, series, entries } = traffic;
  const now = clock.now();
  for (const month of traffic.months) await recordMonthOnce(table, org, series, month, memory.months);
  // The months of the facets are registered before the entries are spread, so that no reader misses a month of a facet.
  for (const entry of entries) {
    for (const facet of facetsOf(kinds, series, entry)) {
      await recordMonthOnce(table, org, facet, monthOf(entry.id), memory.months);
    }
  }
  const name = `${org}#${series}`;
  if (memory.settled.isDue(name, now)) {
    await listDueSeries(table, org, series, now);
    await settle(context, org, series, now);
    memory.settled.remember(name, now);
  }
  await countLateEntries(context, traffic, now);
}

/**
 * Appends the complete milestones of a series. When the time is over, the rest is handed over.
 * @returns whether nothing was handed over
 */
export async function settle(
  { table, kinds, memory, isTime, handOver }: SeriesContext,
  org: OrganizationId,
  series: string,
  now: Micros,
): Promise<boolean> {
  if (isTime()) {
    const { isDone } = await settleSeries(table, org, kinds, series, now, memory.months, { isTime });
    if (isDone) return true;
  }
  await handOver({ work: 'settle', org, series });
  return false;
}

/**
 * Checks the milestones behind entries that are older than the settling time (`rules/lists.md#late-entries`). Usually
 * such an entry is counted already and only its stream record is late. An entry that is not counted was written too
 * late: the milestones are handed over to be counted again, and the log raises an alarm.
 */
async function countLateEntries(
  { table, handOver, log }: SeriesContext & { log: Log },
  { org, series, entries }: SeriesTraffic,
  now: Micros,
): Promise<void> {
  let checkedUpTo: Id | undefined;
  const late = entries.filter(({ id }) => timeOfId(id) <= now - SETTLING_MICROS).sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const [i, entry] of late.entries()) {
    if (checkedUpTo !== undefined && entry.id < checkedUpTo) continue;
    const stretch = await stretchAround(table, org, series, entry.id, now);
    // No milestone exists at this entry or later.
    if (!stretch) return;
    checkedUpTo = stretch.before;
    if (stretch.sound) continue;
    // A recount copies all these entries to their facets and counts again from the first one.
    const uncounted: [SeriesEntry, ...SeriesEntry[]] = [entry, ...late.slice(i + 1)];
    await handOver({ work: 'recount', org, series, entries: uncounted });
    log('An entry appeared behind the last milestone of its series, which is counted again from there', {
      organization: org,
      series,
      entry: entry.id,
    });
    return;
  }
}
