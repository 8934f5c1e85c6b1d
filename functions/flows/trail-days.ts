import * as z from 'zod';
import { TimesOut } from '#functions/forms/times-form.ts';
import { earliestOf, toSeconds } from '#shared/base/time.ts';
import type { BegunTrail } from '#shared/environments/flows/read-flow-frequency.ts';
import { type Days, dateOf, deploymentFrequency } from '#shared/environments/rules/deployment-frequency.ts';

/** The trails of a flow by the day on which they began (rules/flows.md#frequency). */

const Day = z.object({
  date: z.string().describe('The day in UTC, for example `2026-11-21`'),
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
    times: TimesOut.optional().meta({
      description:
        'Seconds from the begin to the last report of the counted trails that are compliant now; only with `include=times`',
    }),
    days: z.array(Day).meta({ description: 'Trails that began on the day, by their present state; oldest day first' }),
  })
  .meta({ id: 'TrailDays' });

/** @param total trails that began in the days, counted or not */
export function trailDays(counted: readonly BegunTrail[], total: number, days: Days): z.input<typeof TrailDays> {
  const byDate = Map.groupBy(counted, ({ created }) => dateOf(created));
  const number = (date: string, wanted: BegunTrail['word']) =>
    byDate.get(date)?.filter(({ word }) => word === wanted).length ?? 0;
  const { medianPerDay, days: counts } = deploymentFrequency((date) => byDate.get(date)?.length ?? 0, days);
  const oldest = counted.reduce((least, { created }) => earliestOf(least, created), days.end);
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

/** Seconds from the begin to the last report of the trails that are compliant now. */
export const timesToCompliance = (counted: readonly BegunTrail[]): number[] =>
  counted
    .filter(({ word }) => word === 'COMPLIANT')
    .map(({ created, at }) => Math.max(0, toSeconds(at) - toSeconds(created)));
