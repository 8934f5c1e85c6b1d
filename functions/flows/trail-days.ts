import * as z from 'zod';
import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { type Micros, toSeconds } from '#shared/base/time.ts';
import { DAY, type Days, dateOf, deploymentFrequency } from '#shared/environments/rules/deployment-frequency.ts';
import { trailHeadKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { TrailHead } from '#shared/evidence/records/trail-items.ts';
import { listedTrail } from '#shared/evidence/select-trails.ts';
import type { Services } from '#shared/http/services.ts';
import { seriesPage } from '#shared/series/series.ts';
import { type Item, type Key, keyText } from '#shared/table/table.ts';

/** The trails of a flow by the day on which they began (rules/flows.md#frequency). */

const Day = z.object({
  date: z.string(),
  timestamp: z.number().meta({ description: 'Begin of the day in seconds since the epoch' }),
  compliant: z.int().meta({ description: 'Trails that are compliant now' }),
  incomplete: z.int().meta({ description: 'Trails in which evidence is missing now' }),
  non_compliant: z.int().meta({ description: 'Trails that are not compliant now' }),
});

export const TrailDays = z
  .object({
    total: z.int().meta({ description: 'Trails that began in these days' }),
    median_per_day: z.number().meta({ description: 'Median of the counted trails per day' }),
    counted_from: z.number().meta({
      description:
        'Trails that began before it are not counted by day; `start_ts` unless more than 175 trails began in these days',
    }),
    days: z.array(Day).meta({ description: 'Trails that began on the day, by their present state; oldest day first' }),
  })
  .meta({ id: 'TrailDays' });

/** Trails that are counted, the newest ones. The heads of the flow, its environments and these trails fit into two batches. */
export const MOST_TRAILS = 175;

interface Begun {
  created: Micros;
  word: TrailHead['word'];
}

/** Finds the newest trails that began in some days. @returns keys of their heads, and how many began in all */
export async function findTrailsBegun(
  { table, clock }: Services,
  org: OrganizationId,
  flow: FlowId,
  days: Days,
): Promise<{ total: number; heads: Key[] }> {
  const page = { page: 1, perPage: MOST_TRAILS };
  // A window that ends in the future needs no search for its end.
  const window = { from: days.start, to: days.last + DAY - 1 };
  const { total, entries } = await seriesPage(table, org, `trails:${flow}`, page, clock.now(), window);
  const heads = entries.map(listedTrail).map(({ trail }) => trailHeadKey(trailPartition(org, flow, trail)));
  return { total, heads };
}

/** Returns the heads of trails that were read. */
export const trailsIn = (heads: readonly Key[], found: ReadonlyMap<string, Item>): Begun[] =>
  heads.flatMap((key) => {
    const item = found.get(keyText(key));
    return item ? [TrailHead.parse(item)] : [];
  });

/** @param total trails that began in the days, counted or not */
export function trailDays(counted: readonly Begun[], total: number, days: Days): z.input<typeof TrailDays> {
  const byDate = Map.groupBy(counted, ({ created }) => dateOf(created));
  const number = (date: string, wanted: TrailHead['word']) =>
    byDate.get(date)?.filter(({ word }) => word === wanted).length ?? 0;
  const { medianPerDay, days: counts } = deploymentFrequency((date) => byDate.get(date)?.length ?? 0, days);
  const oldest = counted.reduce((least, { created }) => Math.min(least, created), days.end);
  return {
    total,
    median_per_day: medianPerDay,
    counted_from: toSeconds(counted.length < total ? oldest : days.start),
    days: counts.map(({ date, at }) => ({
      date,
      timestamp: toSeconds(at),
      compliant: number(date, 'COMPLIANT'),
      incomplete: number(date, 'INCOMPLETE'),
      non_compliant: number(date, 'NON-COMPLIANT'),
    })),
  };
}
