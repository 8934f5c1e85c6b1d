import * as z from 'zod';
import { type Micros, toSeconds } from '#shared/base/time.ts';

/** How often something happened on each of some days, days without it included. */
export const DayCounts = z.array(
  z.object({
    date: z.string().describe('The day in UTC, for example `2026-11-21`'),
    timestamp: z.number().describe('Time in seconds since the epoch'),
    count: z.int().describe('How many there are'),
  }),
);

export const dayCountsOut = (days: readonly { date: string; at: Micros; count: number }[]): z.input<typeof DayCounts> =>
  days.map(({ date, at, count }) => ({ date, timestamp: toSeconds(at), count }));
