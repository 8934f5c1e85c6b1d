import { MINUTE } from '#shared/base/texts/durations.ts';
import { type Duration, EPOCH, latestOf, type Micros, minus, plus } from '#shared/base/time.ts';
import type { Expectation } from '../expectation.ts';
import type { Look } from './silence.ts';
import { knownBefore } from './unknown-time.ts';

/** Where a look begins in a list of what has to become something once (rules/expectations.md#looks). */

type Terms = Pick<Expectation, 'every' | 'grace' | 'startsAt' | 'changedAt'>;

/** How long after its beginning something is due. */
export const waitOf = ({ every, grace }: Pick<Terms, 'every' | 'grace'>): Duration => every + grace;

/**
 * Returns the beginning from which on a look reads: of the first that was not due when the last look began. Under a version that the
 * last look did not know, it is `starts_at`.
 */
export function firstPlace(terms: Terms, { lookedAt }: Pick<Look, 'lookedAt'>): Micros {
  const { startsAt, changedAt } = terms;
  const isNew = lookedAt === null || changedAt >= lookedAt;
  return isNew ? startsAt : latestOf(startsAt, before(lookedAt, waitOf(terms)));
}

/**
 * The list of starts is derived from snapshots, so a start can come into the list after it was due. And a decision can come while its
 * gap is stored. So each look at starts judges again what was due in this time. Time in which the service did not run is not counted: after
 * a pause or a restore the list is behind by it.
 */
const LATE: Duration = 20 * MINUTE;

/** Returns the beginning from which on a look at starts reads. @param place result of {@link firstPlace} */
export function firstStart(
  place: Micros,
  terms: Pick<Terms, 'every' | 'grace'>,
  { unknown }: Pick<Look, 'unknown'>,
): Micros {
  const due = plus(place, waitOf(terms));
  return before(place, due - knownBefore(due, LATE, unknown));
}

const before = (at: Micros, duration: Duration): Micros => (at > duration ? minus(at, duration) : EPOCH);
