import { type Id, timeOfId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { RelayLog } from '#shared/http/relay-log.ts';
import type { Services } from '#shared/http/services.ts';
import { noteActivity } from '#shared/series/activity.ts';
import { facetsOf, noteDue, noteOnce, recountFrom, settleSeries } from '#shared/series/facets.ts';
import { SETTLING_MICROS, stretchAround } from '#shared/series/milestones.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { RelayMemory } from './memory.ts';
import type { ActivityNews, SeriesTraffic } from './read-batch.ts';

/** What an effect of the relay works with. Every effect may be had again without harm (design §2.7). */
export interface Relay {
  services: Pick<Services, 'table' | 'clock'>;
  memory: RelayMemory;
  log: RelayLog;
}

/** Keeps a series readable after traffic: its months are known, its milestones follow, nothing stays uncounted. */
export async function keepSeries(relay: Relay, traffic: SeriesTraffic): Promise<void> {
  const { table, clock } = relay.services;
  const { org, series, entries } = traffic;
  const now = clock.now();
  for (const month of traffic.months) await noteOnce(table, org, series, month, relay.memory.months);
  // Long before the entries are spread there, so that no reader can miss a month of a facet.
  for (const entry of entries) {
    for (const facet of facetsOf(series, entry)) {
      await noteOnce(table, org, facet, monthOf(entry.id), relay.memory.months);
    }
  }
  if (relay.memory.isDue(org, series, now)) {
    await noteDue(table, org, series, now);
    await settleSeries(table, org, series, now, relay.memory.months);
    relay.memory.settled(org, series, now);
  }
  await countLate(relay, traffic, now);
}

/**
 * Only an entry that is older than the settling time can lie behind a milestone. Mostly it is counted and its news is
 * what is late; one that is not counted broke the rule that entries settle, which is an alarm (design §4.2).
 */
async function countLate(relay: Relay, { org, series, entries }: SeriesTraffic, now: Micros): Promise<void> {
  const { table } = relay.services;
  let checkedUpTo: Id | undefined;
  const late = entries.filter(({ id }) => timeOfId(id) <= now - SETTLING_MICROS);
  for (const entry of late.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    if (checkedUpTo !== undefined && entry.id < checkedUpTo) continue;
    const stretch = await stretchAround(table, org, series, entry.id, now);
    // Nothing was counted there yet, nor further on.
    if (!stretch) return;
    checkedUpTo = stretch.before;
    if (stretch.sound) continue;
    const wrong = await recountFrom(table, org, series, entry, now, relay.memory.months);
    relay.log('An entry appeared behind the last milestone of its series, which was counted again from there', {
      organization: org,
      series,
      entry: entry.id,
      wrong_milestones: wrong,
    });
  }
}

/** Keeps the latest activity of a flow or a repository: a changed state at once, anything else once a minute. */
export async function keepActivity(relay: Relay, news: Omit<ActivityNews, 'record'>): Promise<void> {
  const { active, activity } = news;
  const { memory, services } = relay;
  const now = services.clock.now();
  if (!memory.isNews(active, activity, now)) return memory.wait(active, activity);
  await noteActivity(services.table, active, activity);
  memory.written(active, activity, now);
}

/** Writes what waited for its minute to be over. */
export async function keepWaiting(relay: Relay): Promise<void> {
  for (const news of relay.memory.waiting(relay.services.clock.now())) await keepActivity(relay, news);
}
