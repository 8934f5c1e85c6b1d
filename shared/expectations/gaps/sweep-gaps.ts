import { type EnvironmentId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { MINUTE } from '#shared/base/texts/durations.ts';
import { EPOCH, earliestOf, latestOf, type Micros, plus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Table } from '#shared/table/table.ts';
import { readUnknownTime } from '../records/beats.ts';
import { readExpectationItems, readExpectationVersion } from '../records/expectations.ts';
import { beginLook, endLook, giveUpLook } from '../records/expecting-organizations.ts';
import { type Ongoing, readOngoing } from '../records/gaps.ts';
import { Expectation, MOST_EXPECTATIONS } from '../rules/expectation.ts';
import { subjectKey } from '../rules/gaps/gap.ts';
import { endOf, type OngoingGap, planGaps, type Step } from '../rules/gaps/plan.ts';
import type { Look } from '../rules/gaps/silence.ts';
import { applySteps } from './apply-steps.ts';
import { endGap } from './change-gap.ts';
import { markMissing, type Reporter, type Reporters, readHead, readReporters, reporterSubject } from './reporters.ts';

/** Subjects whose gaps are written at the same time. */
const WIDTH = 16;
/** While a gap lasts, a look makes up for the effect of a report that was lost within this time. */
const LOST_EFFECTS = 8 * MINUTE;
/** The next sweep after a look does not look again. */
const SHORTEST_PAUSE = MINUTE / 2;
/** A scope of tags is read again at least this often. */
const LONGEST_PAUSE = 360 * MINUTE;

/** What a look works with. */
interface Looking {
  table: Table;
  org: OrganizationId;
  look: Look;
  isTime: () => boolean;
}

/**
 * Looks for missing reports in an organization, if a look is due (rules/expectations.md#looks). Opens gaps, and ends those
 * whose end the relay did not see. An interrupted look is repeated from the same place, and every step of it is harmless twice.
 *
 * @param sent when the message that asks for the look was sent
 * @param lease how long no other look begins, in microseconds
 * @param isTime whether there is time for another subject
 * @returns whether the look was complete; `none` if none was due
 */
export async function lookForGaps(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  { sent, lease, isTime }: { sent: Micros; lease: number; isTime: () => boolean },
): Promise<'complete' | 'interrupted' | 'none'> {
  const now = clock.now();
  const expecting = await beginLook(table, org, { sent, now, until: plus(now, lease) });
  if (!expecting) return 'none';
  const [items, ongoing, unknown] = await Promise.all([
    readExpectationItems(table, org, { limit: MOST_EXPECTATIONS }),
    readOngoing(table, org),
    readUnknownTime(table, now),
  ]);
  const expectations = items.flatMap((item) => Expectation.safeParse(item).data ?? []);
  const look = { now, lookedAt: expecting.lookedAt, unknown };
  const looking: Looking = { table, org, look, isTime };
  const again = await lookAtReports(
    looking,
    expectations.filter(({ kind }) => kind === 'reports'),
    ongoing.filter(({ of }) => of === 'reports'),
  );
  if (again === 'interrupted') {
    await giveUpLook(table, org);
    return 'interrupted';
  }
  await endLook(table, expecting, { lookedAt: now, nextAt: again && latestOf(again, plus(now, SHORTEST_PAUSE)) });
  return 'complete';
}

/** A subject of which a look has something to write. */
interface Busy {
  expectation: Expectation;
  reporter: Reporter;
  gap: OngoingGap | undefined;
  steps: readonly Step[];
}

/** @returns when the next look is due; null if nothing is expected any more */
async function lookAtReports(
  looking: Looking,
  expectations: readonly Expectation[],
  ongoing: readonly Ongoing[],
): Promise<Micros | 'interrupted' | null> {
  const { table, org, look } = looking;
  const active = expectations.filter(({ archived }) => !archived);
  if (active.length === 0 && ongoing.length === 0) return null;
  const [reporters, known] = await Promise.all([
    readReporters(table, org, active),
    knownGaps(table, org, expectations, ongoing),
  ]);
  const { busy, again } = planAll(look, active, reporters, known);
  const isComplete =
    (await whileTime(looking, busy, (one) => writeSteps(looking, one))) &&
    // What is left of the gaps has no subject any more.
    (await whileTime(looking, known.values(), (gap) => endWithoutSubject(looking, gap, reporters)));
  return isComplete ? again : 'interrupted';
}

/**
 * Plans the steps of all subjects. Removes the gaps of subjects from `known`.
 *
 * @returns the subjects with steps, and when the next look is due; null if nothing is expected any more
 */
function planAll(look: Look, active: readonly Expectation[], reporters: Reporters, known: Map<string, KnownGap>) {
  const busy: Busy[] = [];
  let again = active.length === 0 ? null : plus(look.now, pauseOf(active));
  const lost = plus(look.now, LOST_EFFECTS);
  for (const expectation of active) {
    for (const reporter of reporters.of(expectation)) {
      const key = gapOfSubject(subjectKey(reporterSubject(reporter)), expectation.id);
      const gap = known.get(key)?.gap;
      known.delete(key);
      const plan = planGaps(expectation, reporter, gap, look);
      if (again !== null) again = earliestOf(again, plan.again);
      const lasts = gap !== undefined || plan.steps.some(({ step }) => step === 'open');
      if (again !== null && lasts) again = earliestOf(again, lost);
      if (plan.steps.length > 0 || isUnmarked(gap, reporter))
        busy.push({ expectation, reporter, gap, steps: plan.steps });
    }
  }
  return { busy, again };
}

const gapOfSubject = (subject: string, expectation: string): string => `${subject}#${expectation}`;

/** @returns false if the time was over before all things were done */
async function whileTime<T>({ isTime }: Looking, things: Iterable<T>, work: (thing: T) => Promise<void>) {
  const done = await inParallel(things, WIDTH, async (thing) => {
    if (!isTime()) return false;
    await work(thing);
    return true;
  });
  return !done.includes(false);
}

async function writeSteps({ table, org, look }: Looking, { expectation, reporter, gap, steps }: Busy): Promise<void> {
  if (steps.length > 0) await applySteps({ table, org, look }, { expectation, reporter }, steps);
  else if (gap) await table.write(markMissing(org, reporter, gap.id));
}

/** The environment of a lasting gap has lost its mark, so its next report would not wake the relay. */
const isUnmarked = (gap: OngoingGap | undefined, reporter: Reporter): boolean =>
  gap !== undefined && reporter.openGap === undefined && (reporter.arrivals[0] ?? EPOCH) === gap.lastAt;

/** Returns how long the list of environments need not be read if no subject can become overdue meanwhile. */
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
  const known = await inParallel(ongoing, WIDTH, async ({ gap: id, lastAt, since, isKnown, ...one }) => {
    const replacedAt = await versionEnd(table, org, byId.get(one.expectation), one.version);
    const key = gapOfSubject(one.subject, one.expectation);
    return [key, { subject: one.subject, gap: { id, lastAt, since, isKnown, replacedAt } }] as const;
  });
  return new Map(known);
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
  reporters: Reporters,
): Promise<void> {
  const id = environmentOf(subject);
  const reporter = reporters.all.get(id);
  const archivedAt = reporter ? null : ((await readHead(table, org, id))?.archived ?? null);
  const end = endOf(gap, reporter?.arrivals ?? []);
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

/** Gaps about reports are about environments: the subject is `environment:<id>`. */
const environmentOf = (subject: string): EnvironmentId => storedId(subject.slice(subject.indexOf(':') + 1));
