import type { EnvironmentName } from '#shared/base/names.ts';
import { DAY } from '#shared/base/texts/durations.ts';
import type { Duration, Micros } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { GivenExpectation } from '../put-expectation.ts';
import { resolveScope } from '../resolve-scope.ts';
import {
  earliestPlayed,
  lengthOf,
  MOST_DAYS_PLAYED,
  type PlayedGap,
  type Unknown,
} from '../rules/dry-run/play-reports.ts';
import { usualGrace } from '../rules/expectation.ts';
import { tooMuchToPlay } from '../rules/sentences.ts';
import { readPastReports } from './read-past-reports.ts';

/** Subjects times days of one dry run. The presence of so many days is read with at most five calls. */
const MOST_PLAYED = 9_000;
/** The answer lists so many gaps and so many unknown intervals; the counts are of all. */
const MOST_LISTED = 500;

/** A gap or an interval of an environment. */
type OfEnvironment<T> = T & { environment: EnvironmentName };

/** What there would have been. */
interface DryRun {
  from: Micros;
  until: Micros;
  subjects: number;
  /** Subjects with a gap. */
  subjectsWithGaps: number;
  /** The newest first, with their length. */
  gaps: OfEnvironment<PlayedGap & { length: Duration }>[];
  unknown: OfEnvironment<Unknown>[];
  counts: { gaps: number; open: number; unknown: number };
  /** Whether all gaps are known, and all of them exactly. */
  isExact: boolean;
}

/**
 * Plays an expectation over the past without storing it (rules/expectations.md#dry-run). It plays the terms as if they had been
 * in force since the begin of the period, whatever `starts_at` says.
 *
 * @param from the begin of the period; undefined = 90 days ago
 * @throws ServiceError `invalid` as a save does, and if it would look at more than {@link MOST_PLAYED} subjects times days
 */
export async function dryRunExpectation(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  given: GivenExpectation,
  from: Micros | undefined,
): Promise<DryRun> {
  const now = clock.now();
  const begin = from ?? earliestPlayed(now);
  const terms = { every: given.every, grace: given.grace ?? usualGrace(given.every) };
  if (given.kind !== 'reports')
    throw invalidField('kind', "Only expectations of kind 'reports' can be played", given.kind);
  const scope = await resolveScope(table, org, given);
  const played = await readPastReports(table, org.id, scope, { from: begin, now, terms, refuseTooMany });
  const all = played.flatMap(({ environment, gaps }) => gaps.map((gap) => ({ ...gap, environment })));
  const unknown = played.flatMap((one) =>
    one.unknown.map((interval) => ({ ...interval, environment: one.environment })),
  );
  const newestFirst = <T extends { from: Micros }>(list: readonly T[]) =>
    list.toSorted((one, other) => other.from - one.from).slice(0, MOST_LISTED);
  return {
    from: begin,
    until: now,
    subjects: played.length,
    subjectsWithGaps: played.filter(({ gaps }) => gaps.length > 0).length,
    gaps: newestFirst(all).map((gap) => ({ ...gap, length: lengthOf(gap, now) })),
    unknown: newestFirst(unknown),
    counts: { gaps: all.length, open: all.filter(({ until }) => until === null).length, unknown: unknown.length },
    isExact: unknown.length === 0 && all.every(({ isExact }) => isExact),
  };

  function refuseTooMany(subjects: number): void {
    const days = Math.floor(now / DAY) - Math.floor(begin / DAY) + 1;
    if (subjects * days > MOST_PLAYED) throw tooMuchToPlay({ subjects, days, product: subjects * days });
  }
}

/** Refuses a begin that is more than 90 days ago or in the future. @throws ServiceError 400 */
export function checkBegin(from: Micros | undefined, given: unknown, now: Micros): void {
  if (from === undefined) return;
  if (from < earliestPlayed(now)) throw invalidField('from', `Should be at most ${MOST_DAYS_PLAYED} days ago`, given);
  if (from > now) throw invalidField('from', 'Should not be in the future', given);
}
