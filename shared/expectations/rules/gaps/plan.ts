import { EPOCH, earliestOf, latestOf, type Micros, plus } from '#shared/base/time.ts';
import type { Expectation } from '../expectation.ts';
import { isSoonSince, type Soon, soonOf } from './due-soon.ts';
import type { GapEnd } from './gap.ts';
import { dueOf, isNewSince, isTooLong, judgeSilence, type Look, type Overdue, type Terms } from './silence.ts';
import { lengthOf, type UnknownTime, unknownWithin } from './unknown-time.ts';

/** What is known of a gap that has not ended. */
export interface OngoingGap {
  id: string;
  /** The last arrival before it; 0 = none. */
  lastAt: Micros;
  since: Micros;
  /** Whether it is in the state `open`. Otherwise it is in the state `unknown`. */
  isKnown: boolean;
  /** When the version of its expectation was replaced; null = it is the newest one. */
  replacedAt: Micros | null;
}

/** When a subject was made, and its last arrivals: the newest first, at most as many as are stored. */
export interface SubjectArrivals {
  created: Micros;
  arrivals: readonly Micros[];
  /** Whether one arrival is enough for ever: the subject is a trail or an artifact. */
  isOnce?: boolean;
}

/** One step of a look at a subject. */
export type Step =
  | { step: 'end'; gap: OngoingGap; until: Micros; ended: GapEnd }
  /** The silence is too long now without its unknown time. */
  | { step: 'raise'; gap: OngoingGap; unknown: UnknownTime[] }
  | { step: 'open'; overdue: Overdue; lastAt: Micros }
  /** A gap that began and ended since the last look. */
  | { step: 'record'; overdue: Overdue; lastAt: Micros; until: Micros };

type PlannedTerms = Terms & Pick<Expectation, 'startsAt' | 'dueSoon'>;

/**
 * Says what a look at a subject of an expectation finds (rules/expectations.md#gaps).
 *
 * @param gap the gap of this expectation and subject that has not ended
 * @returns the steps in their order, whether the subject is due soon and nobody may have been told yet, and the instant after
 *   which another look can find more
 */
export function planGaps(
  terms: PlannedTerms,
  subject: SubjectArrivals,
  gap: OngoingGap | undefined,
  look: Look,
): { steps: Step[]; soon?: Soon; again: Micros } {
  const { now } = look;
  const end = gap && endOf(gap, subject.arrivals);
  if (gap && !end) return lasting(terms, gap, look);
  const steps: Step[] = end ? [end] : [];
  const { isOnce = false } = subject;
  if (isOnce && end?.ended === 'arrived') return { steps, again: FAR };
  steps.push(...passed(terms, subject, look));
  if (isOnce && subject.arrivals.length > 0) return { steps, again: FAR };
  const [lastAt = EPOCH] = subject.arrivals;
  const since = sinceOf(terms, subject, lastAt);
  const overdue = judgeSilence(terms, since, now, look);
  if (!overdue) return { steps, ...waiting(terms, since, look) };
  steps.push({ step: 'open', overdue: isOnce ? overdue : clipped(terms, overdue, look), lastAt });
  const again = overdue.isKnown ? FAR : plus(dueOf(terms, since), lengthOf(overdue.unknown));
  return { steps, again };
}

/** A silence that is not too long yet: a later look finds that it is due soon, or that it is. */
function waiting(terms: PlannedTerms, since: Micros, look: Look): { soon?: Soon; again: Micros } {
  const soon = soonOf(terms, since);
  const due = dueOf(terms, since);
  if (!soon || soon.at > look.now) return { again: soon ? earliestOf(soon.at, due) : due };
  return { ...(isSoonSince(soon, look) && { soon }), again: due };
}

/** Later than every look: the arrival itself ends the gap. */
const FAR = plus(EPOCH, Number.MAX_SAFE_INTEGER);

/**
 * Returns how a gap ended: with the first arrival after it, or with its version, whichever was first.
 *
 * @param arrivals the newest first
 */
export function endOf(gap: OngoingGap, arrivals: readonly Micros[]): (Step & { step: 'end' }) | undefined {
  const first = firstAfter(gap.lastAt, arrivals);
  const { replacedAt } = gap;
  if (first !== undefined && (replacedAt === null || first <= replacedAt)) {
    return { step: 'end', gap, until: first, ended: 'arrived' };
  }
  return replacedAt === null ? undefined : { step: 'end', gap, until: replacedAt, ended: 'changed' };
}

/** Returns the first of the stored arrivals after an instant. */
export const firstAfter = (at: Micros, arrivals: readonly Micros[]): Micros | undefined => {
  const later = arrivals.filter((one) => one > at);
  return later.length === 0 ? undefined : earliestOf(...later);
};

function lasting(terms: PlannedTerms, gap: OngoingGap, look: Look): { steps: Step[]; again: Micros } {
  if (gap.isKnown) return { steps: [], again: FAR };
  const unknown = unknownWithin(look.unknown, gap.since, look.now);
  if (isTooLong(terms, gap.since, look.now, unknown)) return { steps: [{ step: 'raise', gap, unknown }], again: FAR };
  return { steps: [], again: plus(dueOf(terms, gap.since), lengthOf(unknown)) };
}

/**
 * Silences between stored arrivals that became too long and ended since the last look. What is expected once is looked at because
 * the last look did not see it, so what it found says nothing.
 */
function passed(terms: PlannedTerms, { created, arrivals, isOnce }: SubjectArrivals, look: Look): Step[] {
  const lookedAt = isOnce ? null : look.lookedAt;
  const ends = arrivals.toReversed();
  return ends.flatMap((until, i): Step[] => {
    // The oldest stored arrival ends a silence only if there was none before it.
    if (i === 0 && arrivals.length >= STORED_ARRIVALS) return [];
    if (until <= latestOf(lookedAt ?? EPOCH, terms.changedAt)) return [];
    const lastAt = ends[i - 1] ?? EPOCH;
    const since = sinceOf(terms, { created }, lastAt);
    const overdue = judgeSilence(terms, since, until, look);
    if (!overdue || !isNewSince(terms, since, lookedAt)) return [];
    return [{ step: 'record', overdue, lastAt, until }];
  });
}

/** So many arrivals of a subject are stored at most. */
export const STORED_ARRIVALS = 5;

const sinceOf = ({ startsAt }: PlannedTerms, { created }: Pick<SubjectArrivals, 'created'>, lastAt: Micros): Micros =>
  latestOf(created, startsAt, lastAt);

/**
 * The last look would have opened this gap if the subject had been in the scope then. So the subject came into the scope after
 * it, and the gap begins with that look.
 */
const clipped = (terms: PlannedTerms, overdue: Overdue, { lookedAt }: Look): Overdue =>
  lookedAt === null || isNewSince(terms, overdue.since, lookedAt)
    ? overdue
    : { ...overdue, from: latestOf(overdue.from, lookedAt) };
