import { type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import type { WorkerLog } from '#shared/base/log-lines.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { expansionMessage } from '#shared/environments/expand-message.ts';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import type { RelayServices } from '#shared/notifications/services.ts';
import { facetsOf, listDueSeries, recordMonthOnce, settleSeries } from '#shared/series/facets.ts';
import { SETTLING_MICROS, stretchAround } from '#shared/series/milestones.ts';
import { monthOf, type SeriesEntry } from '#shared/series/series-entries.ts';
import { listActive } from '#shared/sweeps/active-organizations.ts';
import type { RelayMemory } from './memory.ts';
import type { SeriesTraffic } from './read-batch.ts';

/** Writes at the same time that list organizations. */
const LISTED_AT_ONCE = 8;

/** How long, in milliseconds, one call of the relay appends milestones itself. The expander appends the others. */
export const SETTLE_MILLIS = 5_000;

/** Dependencies of an effect. Each effect can be applied repeatedly without harm (`rules/storage.md#effects`). */
export interface Relay {
  services: Pick<RelayServices, 'table' | 'clock' | 'expansions'>;
  memory: RelayMemory;
  log: WorkerLog;
  /** Whether there is time to append another milestone (rules/storage.md#effects). */
  isTimeToSettle: () => boolean;
}

/**
 * Updates a series after new entries: registers their months, then settles the series once a minute, then counts late
 * entries (`rules/lists.md#milestones`).
 */
export async function updateSeries(relay: Relay, traffic: SeriesTraffic): Promise<void> {
  const { table, clock } = relay.services;
  const { org, series, entries } = traffic;
  const now = clock.now();
  for (const month of traffic.months) await recordMonthOnce(table, org, series, month, relay.memory.months);
  // The months of the facets are registered before the entries are spread, so that no reader misses a month of a facet.
  for (const entry of entries) {
    for (const facet of facetsOf(EVIDENCE_FACETS, series, entry)) {
      await recordMonthOnce(table, org, facet, monthOf(entry.id), relay.memory.months);
    }
  }
  if (relay.memory.isSettlingDue(org, series, now)) {
    await listDueSeries(table, org, series, now);
    await settle(relay, org, series, now);
    relay.memory.rememberSettled(org, series, now);
  }
  await countLateEntries(relay, traffic, now);
}

/**
 * Appends the complete milestones of a series. When the time is over, the expander gets the rest.
 * @returns whether nothing is left to the expander
 */
export async function settle(relay: Relay, org: OrganizationId, series: string, now: Micros): Promise<boolean> {
  const { services, memory, isTimeToSettle: isTime } = relay;
  if (isTime()) {
    const { isDone } = await settleSeries(services.table, org, EVIDENCE_FACETS, series, now, memory.months, { isTime });
    if (isDone) return true;
  }
  await services.expansions.send([expansionMessage({ work: 'settle', org, series })]);
  return false;
}

/**
 * Checks the milestones behind entries that are older than the settling time (`rules/lists.md#late-entries`). Usually
 * such an entry is counted already and only its stream record is late. An entry that is not counted was written too
 * late: the expander counts the milestones again and the log raises an alarm.
 */
async function countLateEntries(relay: Relay, { org, series, entries }: SeriesTraffic, now: Micros): Promise<void> {
  const { table, expansions } = relay.services;
  let checkedUpTo: Id | undefined;
  const late = entries.filter(({ id }) => timeOfId(id) <= now - SETTLING_MICROS).sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const [i, entry] of late.entries()) {
    if (checkedUpTo !== undefined && entry.id < checkedUpTo) continue;
    const stretch = await stretchAround(table, org, series, entry.id, now);
    // No milestone exists at this entry or later.
    if (!stretch) return;
    checkedUpTo = stretch.before;
    if (stretch.sound) continue;
    // The expander copies all these entries to their facets and counts again from the first one.
    const uncounted: [SeriesEntry, ...SeriesEntry[]] = [entry, ...late.slice(i + 1)];
    await expansions.send([expansionMessage({ work: 'recount', org, series, entries: uncounted })]);
    relay.log('An entry appeared behind the last milestone of its series, which is counted again from there', {
      organization: org,
      series,
      entry: entry.id,
    });
    return;
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
