import { type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import type { RelayLog } from '#shared/http/relay-log.ts';
import type { Services } from '#shared/http/services.ts';
import { listActive } from '#shared/notifications/records/sweep-turns.ts';
import { facetsOf, noteDue, noteOnce, recountFrom, settleSeries } from '#shared/series/facets.ts';
import { SETTLING_MICROS, stretchAround } from '#shared/series/milestones.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { RelayMemory } from './memory.ts';
import type { SeriesTraffic } from './read-batch.ts';

/** Writes at the same time that list organizations. */
const LISTED_AT_ONCE = 8;

/** Dependencies of an effect. Each effect can be applied repeatedly without harm (`rules/storage.md#effects`). */
export interface Relay {
  services: Pick<Services, 'table' | 'clock'>;
  memory: RelayMemory;
  log: RelayLog;
}

/**
 * Updates a series after new entries: registers their months, then settles the series once a minute, then counts late
 * entries (`rules/lists.md#milestones`).
 */
export async function updateSeries(relay: Relay, traffic: SeriesTraffic): Promise<void> {
  const { table, clock } = relay.services;
  const { org, series, entries } = traffic;
  const now = clock.now();
  for (const month of traffic.months) await noteOnce(table, org, series, month, relay.memory.months);
  // The months of the facets are registered before the entries are spread, so that no reader misses a month of a facet.
  for (const entry of entries) {
    for (const facet of facetsOf(series, entry)) {
      await noteOnce(table, org, facet, monthOf(entry.id), relay.memory.months);
    }
  }
  if (relay.memory.isSettlingDue(org, series, now)) {
    await noteDue(table, org, series, now);
    await settleSeries(table, org, series, now, relay.memory.months);
    relay.memory.rememberSettled(org, series, now);
  }
  await countLateEntries(relay, traffic, now);
}

/**
 * Checks the milestones behind entries that are older than the settling time (`rules/lists.md#late-entries`). Usually
 * such an entry is counted already and only its stream record is late. An entry that is not counted was written too
 * late: the milestones are counted again and the log raises an alarm.
 */
async function countLateEntries(relay: Relay, { org, series, entries }: SeriesTraffic, now: Micros): Promise<void> {
  const { table } = relay.services;
  let checkedUpTo: Id | undefined;
  const late = entries.filter(({ id }) => timeOfId(id) <= now - SETTLING_MICROS);
  for (const entry of late.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    if (checkedUpTo !== undefined && entry.id < checkedUpTo) continue;
    const stretch = await stretchAround(table, org, series, entry.id, now);
    // No milestone exists at this entry or later.
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

/**
 * Lists the organizations of a batch for the sweeps, before any effect is applied. So the sweeps check an organization
 * also if one of its records ends the process (`rules/storage.md#turns-of-organizations`).
 */
export async function listOrganizations(
  { services: { table, clock }, memory }: Relay,
  organizations: ReadonlySet<OrganizationId>,
): Promise<void> {
  const now = clock.now();
  const due = [...organizations].filter((org) => memory.isListingDue(org, now));
  await inParallel(due, LISTED_AT_ONCE, async (org) => {
    await listActive(table, org, now);
    memory.rememberListed(org, now);
  });
}
