import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { earliestOf, type Micros, plus } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import type { Ongoing } from '../records/gaps.ts';
import type { Expectation } from '../rules/expectation.ts';
import { firstPlace, waitOf } from '../rules/gaps/first-place.ts';
import { planGaps } from '../rules/gaps/plan.ts';
import { dueOf, type Look } from '../rules/gaps/silence.ts';
import { applySteps } from './apply-steps.ts';
import { endWithoutSubject, type KnownGap, knownGapKey, knownGaps } from './known-gaps.ts';
import {
  type Busy,
  LONGEST_PAUSE,
  LOST_EFFECTS,
  type LookedAt,
  type Looking,
  type Places,
  whileTime,
  writeSteps,
} from './looking.ts';
import type { Beginning, Beginnings, Watched } from './watched.ts';

/** Expectations whose beginnings are read at the same time. */
const WIDTH = 4;

/** Reads what began in the scopes of expectations. */
export type ReadBeginnings<B extends Beginning> = (
  table: Table,
  org: OrganizationId,
  expectations: readonly Expectation[],
  look: Look,
) => Promise<Beginnings<B>>;

/**
 * Looks at the subjects that have to become as they have to be once: each is looked at when it is due, and after that only while its
 * gap lasts. The last complete look has seen all that were due before it, so this look begins there. Of a version that is new since
 * then it looks at all that began since `starts_at`.
 *
 * @param expectations also the archived ones: their gaps end
 * @param ongoing the gaps of these kinds that have not ended
 * @param places how far an interrupted look got
 */
export async function lookAtBeginnings<B extends Beginning>(
  looking: Looking,
  expectations: readonly Expectation[],
  ongoing: readonly Ongoing[],
  { read, places }: { read: ReadBeginnings<B>; places: Places },
): Promise<LookedAt> {
  const { table, org, look } = looking;
  const active = expectations.filter(({ archived }) => !archived);
  if (active.length === 0 && ongoing.length === 0) return { again: null };
  const [beginnings, known] = await Promise.all([
    read(table, org, active, look),
    knownGaps(table, org, expectations, ongoing),
  ]);
  const walks = await inParallel(active, WIDTH, (expectation) => {
    const from = places[placeName(expectation)] ?? firstPlace(expectation, look);
    return walk(looking, expectation, beginnings, { known, from });
  });
  const reached = () => Object.fromEntries(active.map((one, i) => [placeName(one), walks[i]?.reached ?? one.startsAt]));
  if (walks.some(({ isComplete }) => !isComplete)) return { again: 'interrupted', places: reached() };
  const raises: Micros[] = [];
  const isComplete = await whileTime(looking, known.values(), async (one) => {
    raises.push(await lookAtGap(looking, one, beginnings));
  });
  if (!isComplete) return { again: 'interrupted', places: reached() };
  if (active.length === 0) return { again: null };
  const lasts = ongoing.length > 0 || walks.some(({ hasFound }) => hasFound);
  const again = earliestOf(plus(look.now, lasts ? LOST_EFFECTS : LONGEST_PAUSE), ...raises);
  return { again: earliestOf(again, ...walks.map((one) => one.again)) };
}

/** Names a version of an expectation. */
const placeName = ({ id, version }: Expectation): string => `${id}#${version}`;

interface Walked {
  isComplete: boolean;
  /** All that began before was looked at. */
  reached: Micros;
  /** When the next beginning is due. */
  again: Micros;
  hasFound: boolean;
}

/** Looks at all that is due of one expectation, the oldest beginning first. Removes its gaps from `known`. */
async function walk<B extends Beginning>(
  looking: Looking,
  expectation: Expectation,
  beginnings: Beginnings<B>,
  { known, from }: { known: Map<string, KnownGap>; from: Micros },
): Promise<Walked> {
  const { look, isTime } = looking;
  const wait = waitOf(expectation);
  // What begins from now on is due later.
  const walked: Walked = { isComplete: true, reached: from, again: plus(look.now, wait), hasFound: false };
  for await (const portion of beginnings.begunFrom(expectation, from)) {
    if (!isTime()) return { ...walked, isComplete: false };
    const due = portion.filter(({ begun }) => begun + wait < look.now);
    const busy: Busy[] = [];
    for (const watched of due.length > 0 ? await beginnings.watch(expectation, due) : []) {
      const gap = takeKnown(known, expectation, watched);
      const { steps, again } = planGaps(expectation, watched, gap, look);
      walked.again = earliestOf(walked.again, again);
      if (steps.length > 0) busy.push({ expectation, watched, gap, steps });
    }
    walked.hasFound ||= busy.length > 0;
    if (!(await whileTime(looking, busy, (one) => writeSteps(looking, one)))) return { ...walked, isComplete: false };
    const next = portion[due.length];
    if (next) return { ...walked, again: earliestOf(walked.again, plus(next.begun, wait)) };
    walked.reached = portion.at(-1)?.begun ?? walked.reached;
  }
  return walked;
}

/** Returns the gap of a subject, and removes it from `known`. A gap of an earlier start of the same artifact is another one. */
function takeKnown(known: Map<string, KnownGap>, { id }: Expectation, { subject, created }: Watched) {
  const key = knownGapKey(subject, id);
  const found = known.get(key);
  if (found?.gap.since !== created) return undefined;
  known.delete(key);
  return found.gap;
}

/**
 * Looks at a gap whose subject was due earlier: ends it with its version or its scope, and turns unknown time into a gap. The relay ends
 * it when the subject is met, so the subject is read only if there is something to write.
 *
 * @returns when another look can find more
 */
async function lookAtGap<B extends Beginning>(
  looking: Looking,
  known: KnownGap,
  beginnings: Beginnings<B>,
): Promise<Micros> {
  const { look } = looking;
  const { expectation, subject, gap } = known;
  const far = plus(look.now, LONGEST_PAUSE);
  const isSubject = expectation && !expectation.archived && gap.since >= expectation.startsAt;
  if (!isSubject || !beginnings.isIn(expectation, subject)) {
    await endWithoutSubject(looking, known, beginnings);
    return far;
  }
  const unmet = planGaps(expectation, { created: gap.since, arrivals: [], isOnce: true }, gap, look);
  if (unmet.steps.length === 0) return unmet.again;
  const watched = await beginnings.again(gap.id);
  if (!watched) return far;
  const { steps, again } = planGaps(expectation, watched, gap, look);
  await applySteps(looking, { expectation, watched }, steps);
  return steps.some(({ step }) => step === 'open') ? earliestOf(again, dueOf(expectation, look.now)) : again;
}
