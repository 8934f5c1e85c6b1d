import * as z from 'zod';
import { type Micros, StoredMicros } from '#shared/base/time.ts';

/** When an artifact ran in one environment (rules/environments.md#history-of-running). */

/** What a snapshot changed about an artifact in an environment. */
export const RunChange = z.object({
  at: StoredMicros,
  /** Number of the snapshot. */
  index: z.number(),
  /** `changed`: it ran before and after the snapshot. */
  type: z.enum(['started', 'changed', 'stopped']),
  /** Its verdict then; of a stop the last one. Null = unknown. */
  compliant: z.boolean().nullable(),
});
export type RunChange = z.infer<typeof RunChange>;

/** A time in which an artifact ran without a pause. */
export interface Run {
  /** When it started; null if it ran already when the known changes begin. */
  from: Micros | null;
  /** The snapshot that showed the start; null like `from`. */
  fromSnapshot: number | null;
  /** When it stopped; null if it ran at the instant that was asked for. */
  to: Micros | null;
  /** The snapshot that no longer showed it; null while it runs, and if the environment was archived. */
  toSnapshot: number | null;
  /** The last verdict of the run; null = unknown. */
  compliant: boolean | null;
}

/**
 * Returns the runs of an artifact in one environment, as they were known at an instant, the oldest first.
 *
 * A start while it runs changes only the verdict. A change or a stop without a start belongs to a run that began before the changes
 * that are known. A run that is open when the environment is archived ends then, because nobody reports any more.
 *
 * @param changes in any order
 * @param asOf later changes do not count
 * @param archived when the environment was archived; null if it is not
 */
export function runsOf(changes: readonly RunChange[], asOf: Micros, archived: Micros | null): Run[] {
  const runs: Run[] = [];
  let open: Run | null = null;
  for (const { at, index, type, compliant } of changes
    .filter((one) => one.at <= asOf)
    .toSorted((a, b) => a.at - b.at)) {
    if (type === 'stopped' && open === null && runs.length > 0) continue;
    open ??= opened(runs, type === 'started' ? { from: at, fromSnapshot: index } : { from: null, fromSnapshot: null });
    open.compliant = compliant;
    if (type !== 'stopped') continue;
    Object.assign(open, { to: at, toSnapshot: index });
    open = null;
  }
  if (open !== null && archived !== null && archived <= asOf) open.to = archived;
  return runs;
}

function opened(runs: Run[], start: Pick<Run, 'from' | 'fromSnapshot'>): Run {
  const run = { ...start, to: null, toSnapshot: null, compliant: null };
  runs.push(run);
  return run;
}
