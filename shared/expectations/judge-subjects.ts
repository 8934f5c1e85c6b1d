import type { EnvironmentName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Subject } from './read-scope.ts';
import { type Expectation, judgeReports, SUBJECT_STATES, type SubjectState } from './rules/expectation.ts';

/** An environment of an expectation, and whether it reported in time. */
interface JudgedSubject {
  environment: EnvironmentName;
  state: SubjectState;
  /** Time of the last report; 0 = never. Null for `unknown`, like `due`. */
  reported: Micros | null;
  due: Micros | null;
}

interface Stated {
  state: SubjectState;
}

/** How many subjects are in each state. */
export type StateCounts = Record<SubjectState, number>;

/** Says of each environment of an expectation whether it reported in time (rules/expectations.md#due). */
export const judgeSubjects = (expectation: Expectation, subjects: readonly Subject[], now: Micros): JudgedSubject[] =>
  subjects.map((subject) => judge(expectation, subject, now));

function judge(expectation: Expectation, { name: environment, times }: Subject, now: Micros): JudgedSubject {
  if (!times) return { environment, state: 'unknown', reported: null, due: null };
  return { environment, reported: times.reported, ...judgeReports(expectation, times, now) };
}

/** Counts subjects by state. */
export const countStates = (judged: readonly Stated[]): StateCounts =>
  // Every state is a member.
  Object.fromEntries(SUBJECT_STATES.map((one) => [one, countOf(judged, one)])) as StateCounts;

const countOf = (judged: readonly Stated[], state: SubjectState): number =>
  judged.filter((subject) => subject.state === state).length;

/** Returns the earliest instant after which a subject that is not missed will be; null if there is no such subject. */
export const nextDue = (judged: readonly Pick<JudgedSubject, 'state' | 'due'>[]): Micros | null =>
  judged.reduce<Micros | null>(
    (next, { state, due }) => (state === 'missed' || due === null || (next !== null && next <= due) ? next : due),
    null,
  );
