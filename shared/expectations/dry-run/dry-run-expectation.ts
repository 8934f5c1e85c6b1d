import type { Duration, Micros } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Table } from '#shared/table/table.ts';
import type { GivenExpectation } from '../put-expectation.ts';
import { resolveScope } from '../resolve-scope.ts';
import {
  earliestPlayed,
  lengthOf,
  MOST_DAYS_PLAYED,
  type PlayedGap,
  type Unknown,
} from '../rules/dry-run/play-reports.ts';
import { type Expectation, usualGrace } from '../rules/expectation.ts';
import type { SubjectName } from '../subjects/subject.ts';
import type { Past, PlayedSubject } from './past.ts';
import { readPastFlows } from './read-past-flows.ts';
import { readPastReports } from './read-past-reports.ts';
import { readPastStarts } from './read-past-starts.ts';
import { readPastTrails } from './read-past-trails.ts';

/** The answer lists so many gaps and so many unknown intervals; the counts are of all. */
const MOST_LISTED = 500;

/** A gap or an interval of a subject. */
type OfSubject<T> = T & { subject: SubjectName };

/** What there would have been. */
interface DryRun {
  from: Micros;
  until: Micros;
  subjects: number;
  /** Subjects with a gap. */
  subjectsWithGaps: number;
  /** The newest first, with their length. */
  gaps: OfSubject<PlayedGap & { length: Duration }>[];
  unknown: OfSubject<Unknown>[];
  counts: { gaps: number; open: number; unknown: number };
  /** Whether all gaps are known, and all of them exactly. */
  isExact: boolean;
}

/** What reads and plays the past of each kind. */
const PLAYERS: Record<Expectation['kind'], (table: Table, past: Past) => Promise<PlayedSubject[]>> = {
  reports: readPastReports,
  evidence: readPastFlows,
  activity: readPastFlows,
  completion: readPastTrails,
  decision: readPastStarts,
};

/**
 * Plays an expectation over the past without storing it (rules/expectations.md#dry-run). It plays the terms as if they had been
 * in force since the begin of the period, whatever `starts_at` says.
 *
 * @param from the begin of the period; undefined = 90 days ago
 * @throws ServiceError `invalid` as a save does, and if it would look at too much
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
  const { evidence, per, control } = given;
  const scope = await resolveScope(table, org, given);
  const past = { org: org.id, scope, evidence, per, control, terms, from: begin, now };
  const played = await PLAYERS[given.kind](table, past);
  const all = played.flatMap(({ subject, gaps }) => gaps.map((gap) => ({ ...gap, subject })));
  const unknown = played.flatMap((one) => one.unknown.map((interval) => ({ ...interval, subject: one.subject })));
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
}

/** Refuses a begin that is more than 90 days ago or in the future. @throws ServiceError 400 */
export function checkBegin(from: Micros | undefined, given: unknown, now: Micros): void {
  if (from === undefined) return;
  if (from < earliestPlayed(now)) throw invalidField('from', `Should be at most ${MOST_DAYS_PLAYED} days ago`, given);
  if (from > now) throw invalidField('from', 'Should not be in the future', given);
}
