import { type Micros, plus } from '#shared/base/time.ts';
import type { Expectation } from './expectation.ts';

/** What is expected once after a beginning: a compliant trail, or a decision about an artifact that started. */
interface OnceTimes {
  /** When the trail began, or the artifact started. */
  begun: Micros;
  /** When it was first as it has to be; null = not yet. */
  met: Micros | null;
}

/**
 * Says whether what has to come once after a beginning came in time (rules/expectations.md#due).
 *
 * @returns the state at `now`, and the instant after which the subject is missed; null if nothing is missing any more
 */
export function judgeOnce(
  { every, grace }: Pick<Expectation, 'every' | 'grace'>,
  { begun, met }: OnceTimes,
  now: Micros,
): { state: 'met' | 'late' | 'missed'; due: Micros | null } {
  if (met !== null) return { state: 'met', due: null };
  const expected = plus(begun, every);
  const due = plus(expected, grace);
  if (now > due) return { state: 'missed', due };
  return { state: now > expected ? 'late' : 'met', due };
}

/** A decision on an artifact or on one of its trails. */
interface Decided {
  at: Micros;
  compliant: boolean;
}

/**
 * Returns when an artifact that started had a compliant decision first: at its start if the decision in force then was
 * compliant, otherwise at the first compliant decision after it (rules/expectations.md#decisions-in-time).
 *
 * @param decisions the oldest first
 * @returns null if there is none
 */
export function decidedAt(decisions: readonly Decided[], started: Micros): Micros | null {
  const inForce = decisions.findLast(({ at }) => at <= started);
  if (inForce?.compliant) return started;
  return decisions.find(({ at, compliant }) => compliant && at > started)?.at ?? null;
}
