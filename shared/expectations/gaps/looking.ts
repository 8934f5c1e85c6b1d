import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { MINUTE } from '#shared/base/texts/durations.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import type { Expectation } from '../rules/expectation.ts';
import type { DueSoon } from '../rules/gaps/due-soon.ts';
import type { OngoingGap, Step } from '../rules/gaps/plan.ts';
import type { Look } from '../rules/gaps/silence.ts';
import { applySteps } from './apply-steps.ts';
import type { Watched } from './watched.ts';

/** What the looks at all kinds of subjects have in common. */

/** Subjects whose gaps are written at the same time. */
const WIDTH = 16;
/** While a gap lasts, a look makes up for the effect of an arrival that was lost within this time. */
export const LOST_EFFECTS = 8 * MINUTE;
/** A scope of tags is read again at least this often. */
export const LONGEST_PAUSE = 360 * MINUTE;

/** What a look works with. */
export interface Looking {
  table: Table;
  org: OrganizationId;
  look: Look;
  isTime: () => boolean;
  /** Tells of subjects that are due soon. */
  tell: (subjects: readonly DueSoon[]) => Promise<void>;
}

/** Up to which beginning all subjects of a version were looked at, by expectation and version. */
export type Places = Readonly<Record<string, Micros>>;

/** When the next look is due; null if nothing is expected any more. An interrupted look says how far it got. */
export type LookedAt = { again: Micros | null } | { again: 'interrupted'; places: Places };

/** A subject of which a look has something to write. */
export interface Busy {
  expectation: Expectation;
  watched: Watched;
  gap: OngoingGap | undefined;
  steps: readonly Step[];
}

/** @returns false if the time was over before all things were done */
export async function whileTime<T>(
  { isTime }: Pick<Looking, 'isTime'>,
  things: Iterable<T>,
  work: (thing: T) => Promise<void>,
): Promise<boolean> {
  const done = await inParallel(things, WIDTH, async (thing) => {
    if (!isTime()) return false;
    await work(thing);
    return true;
  });
  return !done.includes(false);
}

/** Writes what a look planned for a subject. */
export async function writeSteps(
  { table, org, look }: Looking,
  { expectation, watched, gap, steps }: Busy,
): Promise<void> {
  if (steps.length > 0) return applySteps({ table, org, look }, { expectation, watched }, steps);
  const mark = gap && watched.mend?.(gap);
  if (mark) await table.write(mark);
}
