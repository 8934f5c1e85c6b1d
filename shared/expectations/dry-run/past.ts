import type { OrganizationId } from '#shared/base/ids.ts';
import type { Duration, Micros } from '#shared/base/time.ts';
import type { Played } from '../rules/dry-run/play-reports.ts';
import type { Expectation, Scope } from '../rules/expectation.ts';
import { tooManyToPlay } from '../rules/sentences.ts';
import type { SubjectName } from '../subjects/subject.ts';

/** What a dry run plays, and over which period. */
export interface Past extends Pick<Expectation, 'evidence' | 'per' | 'control'> {
  org: OrganizationId;
  scope: Scope;
  terms: { every: Duration; grace: Duration };
  from: Micros;
  now: Micros;
}

/** A subject, and its past. */
export type PlayedSubject = Played & { subject: SubjectName };

/** Most attestations, trails, or events of environments that one dry run looks at. */
export const MOST_LOOKED_AT = 2_000;

/** @throws ServiceError `invalid` if a dry run would look at more than `most` records. @param what the name of the records */
export function refuseMoreThan(most: number, count: number, what: string): void {
  if (count > most) throw tooManyToPlay({ count, what, most });
}
