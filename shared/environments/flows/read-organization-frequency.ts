import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import type { Table } from '#shared/table/table.ts';
import { readDeploymentsOf } from '../records/deployments.ts';
import { type EnvironmentEvent, readNewestEvents } from '../records/environment-events.ts';
import { EnvironmentEntry } from '../records/environment-records.ts';
import { type Days, deploymentFrequency } from '../rules/deployment-frequency.ts';
import { leadTimeOf } from '../rules/lead-times.ts';
import { ENVIRONMENTS } from '../rules/series-kinds.ts';
import {
  type BegunTrail,
  type DeploymentsOf,
  findTrailsBegun,
  MOST_ENVIRONMENTS,
  trailsIn,
} from './read-flow-frequency.ts';

/** Newest events of each environment in which lead times are looked for. */
const MOST_EVENTS = 100;

interface EnvironmentFrequency extends DeploymentsOf {
  /** Seconds from the commit to the start, of the newest deployments whose commit is known. */
  taken: number[];
}

interface OrganizationFrequency {
  trails: {
    counted: BegunTrail[];
    /** How many began in all. */
    total: number;
  };
  /** Most deployments first. */
  environments: EnvironmentFrequency[];
  /** Whether the organization has more physical environments. */
  hasMore: boolean;
}

/**
 * Reads trails, deployments and lead times of an organization by day (rules/environments.md#frequency-of-an-organization).
 * Of many environments it reads those whose snapshots changed last.
 *
 * @param days the last days up to now: the newest events of an environment say nothing of an earlier period
 */
export async function readOrganizationFrequency(
  stores: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  days: Days,
): Promise<OrganizationFrequency> {
  const { table } = stores;
  const [trails, { environments, hasMore }] = await Promise.all([
    readTrailsBegun(stores, org.id, days),
    readEnvironments(table, org.id, days),
  ]);
  return { trails, environments, hasMore };
}

async function readTrailsBegun(stores: Pick<Stores, 'table' | 'clock'>, org: OrganizationId, days: Days) {
  const { heads, total } = await findTrailsBegun(stores, org, 'trails', days);
  return { counted: trailsIn(heads, await stores.table.getMany(heads)), total };
}

async function readEnvironments(table: Table, org: OrganizationId, days: Days) {
  const all = await findReporting(table, org);
  const shown = all.slice(0, MOST_ENVIRONMENTS);
  const ids = shown.map(({ id }) => id);
  const counts = await readDeploymentsOf(table, org, ids, { from: days.start, to: days.last });
  const counted = shown.map(({ id, name }, n) => ({
    id,
    name,
    frequency: deploymentFrequency((date) => counts[n]?.get(date.replaceAll('-', ''))?.all ?? 0, days),
  }));
  const deployed = counted.filter(({ frequency }) => frequency.total > 0).map(({ id }) => id);
  const events = await readNewestEvents(table, org, deployed, MOST_EVENTS);
  const taken = new Map(deployed.map((id, n) => [id, leadTimesIn(events[n] ?? [], days)]));
  const environments = counted.map(({ id, name, frequency }) => ({ name, frequency, taken: taken.get(id) ?? [] }));
  environments.sort((a, b) => b.frequency.total - a.frequency.total || (a.name < b.name ? -1 : 1));
  return { environments, hasMore: all.length > shown.length };
}

interface Reporting {
  id: EnvironmentId;
  name: string;
  changed: Micros;
}

/**
 * Finds the physical environments with snapshots, the one that changed last first. The catalogue has no archived ones.
 * An entry that cannot be read is left out: the list of environments shows it.
 */
async function findReporting(table: Table, org: OrganizationId): Promise<Reporting[]> {
  const found = [...(await readCatalogue(table, org, ENVIRONMENTS)).values()].flatMap(({ id, entry }) => {
    const { data } = EnvironmentEntry.safeParse(entry);
    return data && data.k !== 'logical' && data.c > 0 ? [{ id, name: data.n, changed: data.c }] : [];
  });
  return found.sort((a, b) => b.changed - a.changed || (a.name < b.name ? -1 : 1));
}

const leadTimesIn = (events: readonly EnvironmentEvent[], { start }: Days): number[] =>
  events.filter(({ type, at }) => type === 'started' && at >= start).flatMap((event) => leadTimeOf(event) ?? []);
