import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { SubjectState } from '../rules/expectation.ts';

/** The instant as of which subjects are judged. */
export interface Instant {
  org: OrganizationId;
  at: Micros;
}

/** A subject as it was at an instant. */
export interface JudgedAt {
  state: SubjectState;
  /** When it was last, or first, as it has to be; null = never, or nobody knows. */
  met: Micros | null;
  due: Micros | null;
}

/** A subject that nobody can judge any more, or subjects that were not looked at. */
export const UNKNOWN: JudgedAt = { state: 'unknown', met: null, due: null };
