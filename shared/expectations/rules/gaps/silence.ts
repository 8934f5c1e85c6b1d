import { type Duration, EPOCH, latestOf, type Micros, plus } from '#shared/base/time.ts';
import type { Expectation } from '../expectation.ts';
import { lengthOf, type UnknownTime, unknownWithin } from './unknown-time.ts';

/** The part of an expectation that decides about a silence. */
export type Terms = Pick<Expectation, 'every' | 'grace' | 'version' | 'changedAt'>;

/** What a look at subjects knows. */
export interface Look {
  now: Micros;
  /** When the last complete look began; null = this is the first one. */
  lookedAt: Micros | null;
  unknown: readonly UnknownTime[];
}

/** A silence that is longer than an expectation allows. */
export interface Overdue {
  since: Micros;
  from: Micros;
  unknown: UnknownTime[];
  /** Whether the silence is too long even without its unknown time. */
  isKnown: boolean;
}

/** Whether a silence without its unknown time is longer than `every` and `grace` together. */
export const isTooLong = (
  { every, grace }: { every: Duration; grace: Duration },
  since: Micros,
  until: Micros,
  unknown: readonly UnknownTime[],
): boolean => until - since - lengthOf(unknown) > every + grace;

/** Returns the instant after which a silence is too long, if no more time becomes unknown. */
export const dueOf = ({ every, grace }: Pick<Terms, 'every' | 'grace'>, since: Micros): Micros =>
  plus(since, every + grace);

/**
 * Judges a silence (rules/expectations.md#gaps). A gap begins `every` after `since`, but not before the version of the
 * expectation, unless it is the first one.
 *
 * @param since from when on the silence counts
 * @param until when something came, or now
 * @returns null if the silence is not too long, or if the last look saw it already
 */
export function judgeSilence(terms: Terms, since: Micros, until: Micros, look: Look): Overdue | null {
  const due = dueOf(terms, since);
  if (until <= due) return null;
  const start = startOf(terms);
  const from = latestOf(plus(since, terms.every), start);
  if (from >= until) return null;
  const unknown = unknownWithin(look.unknown, since, until);
  return { since, from, unknown, isKnown: isTooLong(terms, since, until, unknown) };
}

/** Whether the last look could not see that a silence is too long: it became so later, or the expectation said so later. */
export const isNewSince = (terms: Terms, since: Micros, lookedAt: Micros | null): boolean =>
  lookedAt === null || latestOf(dueOf(terms, since), terms.changedAt) >= lookedAt;

/** No later version says anything about the time before it. The first one may: its `starts_at` can lie in the past. */
const startOf = ({ version, changedAt }: Terms): Micros => (version > 1 ? changedAt : EPOCH);
