import type { OrganizationId } from '#shared/base/ids.ts';
import type { EnvironmentName, FlowName, TrailName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import type { StateCounts } from '../judge-subjects.ts';
import type { Expectation, SubjectState } from '../rules/expectation.ts';

/** What an expectation is about, with present names. */
export type SubjectName =
  | { type: 'environment'; environment: EnvironmentName }
  | { type: 'flow'; flow: FlowName }
  | { type: 'scope' }
  | { type: 'trail'; flow: FlowName; trail: TrailName }
  | { type: 'artifact'; environment: EnvironmentName; fingerprint: string; name: string };

/** A subject of an expectation, and whether everything came in time. */
export interface JudgedSubject {
  subject: SubjectName;
  state: SubjectState;
  /** When it was last, or first, as it has to be; 0 = never. Null for `unknown`. */
  met: Micros | null;
  /** Null for `unknown`, and if nothing is missing any more. */
  due: Micros | null;
}

/** Which subjects a page has. */
export interface SubjectPage {
  org: OrganizationId;
  expectation: Expectation;
  now: Micros;
  /** The place that the page before ended with; undefined for the first page. */
  after: string | undefined;
  limit: number;
  /** Only subjects in this state. */
  state: SubjectState | undefined;
}

export interface SubjectsFound {
  subjects: JudgedSubject[];
  /** All subjects of the expectation by state; null for subjects that nobody counts. */
  counts: StateCounts | null;
  /** The place that the next page follows; null on the last page. */
  last: string | null;
}
