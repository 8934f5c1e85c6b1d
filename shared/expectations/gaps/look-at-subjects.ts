import type { OrganizationId } from '#shared/base/ids.ts';
import { MINUTE } from '#shared/base/texts/durations.ts';
import { earliestOf, plus } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import type { Ongoing } from '../records/gaps.ts';
import type { Expectation } from '../rules/expectation.ts';
import type { DueSoon } from '../rules/gaps/due-soon.ts';
import { planGaps } from '../rules/gaps/plan.ts';
import type { Look } from '../rules/gaps/silence.ts';
import { endWithoutSubject, type KnownGap, knownGapKey, knownGaps } from './known-gaps.ts';
import {
  type Busy,
  LONGEST_PAUSE,
  LOST_EFFECTS,
  type LookedAt,
  type Looking,
  whileTime,
  writeSteps,
} from './looking.ts';
import type { Watch } from './watched.ts';

/** Reads the subjects of expectations. */
export type ReadWatch = (table: Table, org: OrganizationId, expectations: readonly Expectation[]) => Promise<Watch>;

/**
 * Looks at all subjects of expectations to which something comes again and again.
 *
 * @param expectations also the archived ones: their gaps end
 * @param ongoing the gaps of these kinds that have not ended
 */
export async function lookAtSubjects(
  looking: Looking,
  expectations: readonly Expectation[],
  ongoing: readonly Ongoing[],
  readWatch: ReadWatch,
): Promise<LookedAt> {
  const { table, org, look } = looking;
  const active = expectations.filter(({ archived }) => !archived);
  if (active.length === 0 && ongoing.length === 0) return { again: null };
  const [watch, known] = await Promise.all([
    readWatch(table, org, active),
    knownGaps(table, org, expectations, ongoing),
  ]);
  const { busy, soon, again } = planAll(look, active, watch, known);
  await looking.tell(soon);
  const isComplete =
    (await whileTime(looking, busy, (one) => writeSteps(looking, one))) &&
    // What is left of the gaps has no subject any more.
    (await whileTime(looking, known.values(), (gap) => endWithoutSubject(looking, gap, watch)));
  return isComplete ? { again } : { again: 'interrupted', places: {} };
}

/**
 * Plans the steps of all subjects. Removes the gaps of subjects from `known`.
 *
 * @returns the subjects with steps, those that are due soon, and when the next look is due; null if nothing is expected any more
 */
function planAll(look: Look, active: readonly Expectation[], watch: Watch, known: Map<string, KnownGap>) {
  const busy: Busy[] = [];
  const soon: DueSoon[] = [];
  let again = active.length === 0 ? null : plus(look.now, pauseOf(active));
  const lost = plus(look.now, LOST_EFFECTS);
  for (const expectation of active) {
    for (const watched of watch.of(expectation)) {
      const key = knownGapKey(watched.subject, expectation.id);
      const gap = known.get(key)?.gap;
      known.delete(key);
      const plan = planGaps(expectation, watched, gap, look);
      if (again !== null) again = earliestOf(again, plan.again);
      if (plan.soon) soon.push({ expectation, subject: watched.subject, soon: plan.soon });
      const lasts = gap !== undefined || plan.steps.some(({ step }) => step === 'open');
      if (again !== null && lasts) again = earliestOf(again, lost);
      const isBusy = plan.steps.length > 0 || (gap !== undefined && (watched.mend?.(gap) ?? null) !== null);
      if (isBusy) busy.push({ expectation, watched, gap, steps: plan.steps });
    }
  }
  return { busy, soon, again };
}

/** Returns how long the subjects need not be read if none of them can become overdue meanwhile. */
const pauseOf = (active: readonly Expectation[]): number =>
  Math.min(LONGEST_PAUSE, Math.max(MINUTE, Math.min(...active.map(({ every }) => every)) / 4));
