import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import type { FlowName } from '#shared/base/names.ts';
import { type Micros, plus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type FlowHead, flowHeadsIn } from '#shared/evidence/records/flows.ts';
import { flowHeadKey, trailHeadKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { TrailHead } from '#shared/evidence/records/trail-items.ts';
import { readFlowWith } from '#shared/evidence/records/trails.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { listedTrail } from '#shared/evidence/trails/list-trails.ts';
import { seriesPage } from '#shared/series/series.ts';
import { type Item, type Key, keyText, type Table } from '#shared/table/table.ts';
import { readDeploymentsOf } from '../records/deployments.ts';
import { environmentHeadsIn } from '../records/environment-records.ts';
import { environmentHeadKey } from '../records/keys.ts';
import { environmentsOfFlow } from '../records/marks.ts';
import { DAY, type Days, deploymentFrequency } from '../rules/deployment-frequency.ts';

/** Trails that are counted, the newest ones. The heads of the flow, its environments and these trails fit into two batches. */
export const MOST_TRAILS = 175;
/** Environments that are shown. The days of each lie in a partition of their own. */
export const MOST_ENVIRONMENTS = 20;

export interface BegunTrail {
  created: Micros;
  /** When something was reported last. */
  at: Micros;
  word: TrailHead['word'];
}

export interface DeploymentsOf {
  /** Name of the environment. */
  name: string;
  frequency: ReturnType<typeof deploymentFrequency>;
}

interface FlowFrequency {
  flow: FlowName;
  trails: {
    counted: BegunTrail[];
    /** How many began in all. */
    total: number;
  };
  /** Most deployments first. Archived environments are left out. */
  environments: DeploymentsOf[];
  /** Whether artifacts of the flow ran in more environments. */
  hasMore: boolean;
}

/**
 * Reads trails and deployments of a flow by day (rules/flows.md#frequency).
 *
 * @param name present name or alias of the flow
 * @throws ServiceError `not-found` for an unknown flow
 */
export async function readFlowFrequency(
  stores: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  name: FlowName,
  days: Days,
): Promise<FlowFrequency> {
  const { flow, beside } = await readFlowWith(stores.table, org.id, name, (id) =>
    readDaysOfFlow(stores, org.id, id, days),
  );
  if (!flow) throw unknownFlow({ flow: name, org: org.name });
  return { flow: flow.name, ...beside };
}

/** One batch of reads has the heads of the flow, its trails and its environments. */
async function readDaysOfFlow(
  stores: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  flow: FlowId,
  days: Days,
): Promise<[FlowHead | null, Omit<FlowFrequency, 'flow'>]> {
  const { table } = stores;
  const [begun, { shown, hasMore, counts }] = await Promise.all([
    findTrailsBegun(stores, org, `trails:${flow}`, days),
    readDeploymentsOfFlow(table, org, flow, days),
  ]);
  const found = await table.getMany([
    flowHeadKey(org, flow),
    ...shown.map((id) => environmentHeadKey(org, id)),
    ...begun.heads,
  ]);
  const heads = environmentHeadsIn(org, shown, found);
  const environments = shown.flatMap((id, n) => {
    const head = heads.get(id);
    if (!head || head.archived !== null) return [];
    const countOn = (date: string) => counts[n]?.get(date.replaceAll('-', ''))?.counts[flow] ?? 0;
    return [{ name: head.name, frequency: deploymentFrequency(countOn, days) }];
  });
  environments.sort((a, b) => b.frequency.total - a.frequency.total || (a.name < b.name ? -1 : 1));
  const trails = { counted: trailsIn(begun.heads, found), total: begun.total };
  return [flowHeadsIn(org, [flow], found).get(flow) ?? null, { trails, environments, hasMore }];
}

/**
 * Finds the newest trails that began in some days.
 *
 * @param series `trails` for the whole organization, `trails:{flow id}` for a flow
 * @returns keys of their heads, and how many began in all
 */
export async function findTrailsBegun(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  series: string,
  days: Days,
): Promise<{ total: number; heads: Key[] }> {
  const page = { page: 1, perPage: MOST_TRAILS };
  // A window that ends in the future needs no search for its end.
  const window = { from: days.start, to: plus(days.last, DAY - 1) };
  const { total, entries } = await seriesPage(table, org, series, page, clock.now(), window);
  const heads = entries.map(listedTrail).map(({ flow, trail }) => trailHeadKey(trailPartition(org, flow, trail)));
  return { total, heads };
}

export const trailsIn = (heads: readonly Key[], found: ReadonlyMap<string, Item>): BegunTrail[] =>
  heads.flatMap((key) => {
    const item = found.get(keyText(key));
    return item ? [TrailHead.parse(item)] : [];
  });

/** Reads what started by day in the environments where artifacts of a flow ran. */
async function readDeploymentsOfFlow(table: Table, org: OrganizationId, flow: FlowId, { start, last }: Days) {
  const all = await environmentsOfFlow(table, org, flow);
  const shown = all.slice(0, MOST_ENVIRONMENTS);
  const counts = await readDeploymentsOf(table, org, shown, { from: start, to: last });
  return { shown, hasMore: all.length > shown.length, counts };
}
