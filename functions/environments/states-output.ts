import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import type { EnvironmentStates } from '#shared/environments/state-histories.ts';

const Interval = z
  .object({ from: z.number(), to: z.number().nullable(), state: z.boolean().nullable() })
  .meta({ id: 'StateInterval' });

/** The state of an environment over time (rules/environments.md#state-changes-over-time). */
export const StatesOut = z
  .object({
    since: z.number().nullable(),
    artifact_compliance_count: z.object({ true: z.int(), false: z.int(), null: z.int() }).nullable(),
    intervals: z.array(Interval),
    has_earlier: z.boolean(),
  })
  .meta({ id: 'EnvironmentStates' });

export const statesOut = ({ since, counts, intervals, hasEarlier }: EnvironmentStates): z.input<typeof StatesOut> => ({
  since: since === null ? null : toSeconds(since),
  artifact_compliance_count: counts,
  intervals: intervals.map(({ from, to, state }) => ({
    from: toSeconds(from),
    to: to === null ? null : toSeconds(to),
    state,
  })),
  has_earlier: hasEarlier,
});
