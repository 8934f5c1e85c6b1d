import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { MINUTE } from '#shared/base/texts/durations.ts';
import { earliestOf, type Micros, plus } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import { readExpectationVersion } from '../records/expectations.ts';
import type { Ongoing } from '../records/gaps.ts';
import type { Expectation } from '../rules/expectation.ts';
import { subjectKey } from '../rules/gaps/gap.ts';
import { endOf, type OngoingGap, planGaps, type Step } from '../rules/gaps/plan.ts';
import type { Look } from '../rules/gaps/silence.ts';
import { applySteps } from './apply-steps.ts';
import { endGap } from './change-gap.ts';
import type { Watch, Watched } from './watched.ts';

/** Subjects whose gaps are written at the same time. */
const WIDTH = 16;
/** While a gap lasts, a look makes up for the effect of an arrival that was lost within this time. */
const LOST_EFFECTS = 8 * MINUTE;
/** A scope of tags is read again at least this often. */
const LONGEST_PAUSE = 360 * MINUTE;

/** What a look works with. */
export interface Looking {
  table: Table;
  org: OrganizationId;
  look: Look;
  isTime: () => boolean;
}

/** Reads the subjects of expectations. */
export type ReadWatch = (table: Table, org: OrganizationId, expectations: readonly Expectation[]) => Promise<Watch>;

/** A subject of which a look has something to write. */
interface Busy {
  expectation: Expectation;
  watched: Watched;
  gap: OngoingGap | undefined;
  steps: readonly Step[];
}

/**
 * Looks at all subjects of expectations to which something comes again and again.
 *
 * @param expectations also the archived ones: their gaps end
 * @param ongoing the gaps of these kinds that have not ended
 * @returns when the next look is due; null if nothing is expected any more
 */
export async function lookAtSubjects(
  looking: Looking,
  expectations: readonly Expectation[],
  ongoing: readonly Ongoing[],
  readWatch: ReadWatch,
): Promise<Micros | 'interrupted' | null> {
  const { table, org, look } = looking;
  const active = expectations.filter(({ archived }) => !archived);
  if (active.length === 0 && ongoing.length === 0) return null;
  const [watch, known] = await Promise.all([
    readWatch(table, org, active),
    knownGaps(table, org, expectations, ongoing),
  ]);
  const { busy, again } = planAll(look, active, watch, known);
  const isComplete =
    (await whileTime(looking, busy, (one) => writeSteps(looking, one))) &&
    // What is left of the gaps has no subject any more.
    (await whileTime(looking, known.values(), (gap) => endWithoutSubject(looking, gap, watch)));
  return isComplete ? again : 'interrupted';
}

/**
 * Plans the steps of all subjects. Removes the gaps of subjects from `known`.
 *
 * @returns the subjects with steps, and when the next look is due; null if nothing is expected any more
 */
function planAll(look: Look, active: readonly Expectation[], watch: Watch, known: Map<string, KnownGap>) {
  const busy: Busy[] = [];
  let again = active.length === 0 ? null : plus(look.now, pauseOf(active));
  const lost = plus(look.now, LOST_EFFECTS);
  for (const expectation of active) {
    for (const watched of watch.of(expectation)) {
      const key = gapOfSubject(subjectKey(watched.subject), expectation.id);
      const gap = known.get(key)?.gap;
      known.delete(key);
      const plan = planGaps(expectation, watched, gap, look);
      if (again !== null) again = earliestOf(again, plan.again);
      const lasts = gap !== undefined || plan.steps.some(({ step }) => step === 'open');
      if (again !== null && lasts) again = earliestOf(again, lost);
      const isBusy = plan.steps.length > 0 || (gap !== undefined && (watched.mend?.(gap) ?? null) !== null);
      if (isBusy) busy.push({ expectation, watched, gap, steps: plan.steps });
    }
  }
  return { busy, again };
}

const gapOfSubject = (subject: string, expectation: string): string => `${subject}#${expectation}`;

/** @returns false if the time was over before all things were done */
async function whileTime<T>(
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

async function writeSteps({ table, org, look }: Looking, { expectation, watched, gap, steps }: Busy): Promise<void> {
  if (steps.length > 0) return applySteps({ table, org, look }, { expectation, watched }, steps);
  const mark = gap && watched.mend?.(gap);
  if (mark) await table.write(mark);
}

/** Returns how long the subjects need not be read if none of them can become overdue meanwhile. */
const pauseOf = (active: readonly Expectation[]): number =>
  Math.min(LONGEST_PAUSE, Math.max(MINUTE, Math.min(...active.map(({ every }) => every)) / 4));

/** A gap that has not ended, as the look found it. */
interface KnownGap {
  subject: string;
  gap: OngoingGap;
}

/** Returns the gaps that have not ended, by subject and expectation. */
async function knownGaps(
  table: Table,
  org: OrganizationId,
  expectations: readonly Expectation[],
  ongoing: readonly Ongoing[],
): Promise<Map<string, KnownGap>> {
  const byId = new Map(expectations.map((one) => [one.id, one]));
  const known = await inParallel(ongoing, WIDTH, async (one) => {
    const gap = await ongoingGapOf(table, org, byId.get(one.expectation), one);
    return [gapOfSubject(one.subject, one.expectation), { subject: one.subject, gap }] as const;
  });
  return new Map(known);
}

/** Returns what a plan has to know of a gap that has not ended. @param expectation undefined if it cannot be read */
async function ongoingGapOf(
  table: Table,
  org: OrganizationId,
  expectation: Expectation | undefined,
  { gap: id, lastAt, since, isKnown, version }: Ongoing,
): Promise<OngoingGap> {
  return { id, lastAt, since, isKnown, replacedAt: await versionEnd(table, org, expectation, version) };
}

/** Returns when a version was replaced; null if it is the newest one. Reads the next version only if several followed. */
async function versionEnd(table: Table, org: OrganizationId, expectation: Expectation | undefined, version: number) {
  if (!expectation || expectation.version <= version) return null;
  if (expectation.version === version + 1) return expectation.changedAt;
  const next = await readExpectationVersion(table, org, expectation.name, version + 1);
  return next?.changedAt ?? expectation.changedAt;
}

/** Ends a gap whose subject the expectation is not about any more, or whose expectation is archived. */
async function endWithoutSubject(
  { table, org, look }: Looking,
  { subject, gap }: KnownGap,
  watch: Watch,
): Promise<void> {
  const { arrivals, archivedAt } = await watch.readGone(subject);
  const end = endOf(gap, arrivals);
  const endings = [
    ...(end ? [{ until: end.until, ended: end.ended }] : []),
    ...(archivedAt === null ? [] : [{ until: archivedAt, ended: 'archived' as const }]),
    { until: look.now, ended: 'left' as const },
  ];
  const [first] = endings.toSorted((one, other) => one.until - other.until);
  if (!first) return;
  const firstAfter = first.ended === 'arrived' ? { at: first.until, shown: null } : null;
  await endGap(table, org, gap.id, { ...first, firstAfter }, look);
}
