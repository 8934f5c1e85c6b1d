import * as z from 'zod';
import { timesByClass } from '#shared/console/times-by-class.ts';
import { leadTimes } from '#shared/environments/rules/lead-times.ts';

const seconds = (description: string) => z.number().nullable().meta({ description });

/** How long something took, over several occasions. */
export const TimesOut = z
  .object({
    known: z.int().meta({ description: 'How many lengths of time are counted' }),
    median: seconds('Half of them took at most so many seconds'),
    p90: seconds('90 percent of them took at most so many seconds'),
    p99: seconds('99 percent of them took at most so many seconds'),
    classes: z
      .array(
        z.object({
          up_to: z
            .number()
            .nullable()
            .meta({ description: 'Seconds that the class has at most; null for the last class' }),
          count: z.int().meta({ description: 'How many are in the class' }),
        }),
      )
      .meta({ description: 'Classes of lengths of time, the shortest first. Each begins above the one before' }),
  })
  .meta({ id: 'Times' });

/** @param taken seconds, in any order */
export const timesOut = (taken: readonly number[]): z.input<typeof TimesOut> => ({
  ...leadTimes(taken),
  classes: timesByClass(taken),
});
