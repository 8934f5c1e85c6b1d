import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { cursorIn, readNameCursorIn } from '#shared/table/cursors.ts';
import type { Table } from '#shared/table/table.ts';
import type { StateCounts } from './judge-subjects.ts';
import { presentExpectation } from './read-expectations.ts';
import type { Expectation, SubjectState } from './rules/expectation.ts';
import { findArtifacts } from './subjects/artifact-subjects.ts';
import { pageOf } from './subjects/counted-subjects.ts';
import { findEnvironments } from './subjects/environment-subjects.ts';
import { findFlows } from './subjects/flow-subjects.ts';
import type { JudgedSubject, SubjectPage, SubjectsFound } from './subjects/subject.ts';
import { findTrails } from './subjects/trail-subjects.ts';
import { countOpenGaps } from './summarize.ts';

const listOf = (org: OrganizationId, name: string): string[] => [org, 'expectation-subjects', name];

/** @returns the place that the page before ended with; null if the cursor does not belong to this list */
export const readSubjectCursor = (org: OrganizationId, name: string, cursor: string): string | null =>
  readNameCursorIn(listOf(org, name), cursor, z.string());

/** What judges the subjects of each kind. */
const FINDERS: Record<Expectation['kind'], (table: Table, page: SubjectPage) => Promise<SubjectsFound>> = {
  reports: findEnvironments,
  evidence: findFlows,
  activity: findFlows,
  completion: findTrails,
  decision: findArtifacts,
};

/**
 * Lists the subjects of an expectation as they are now (rules/expectations.md#subjects). An archived expectation expects nothing, so it
 * has none.
 *
 * @param after result of {@link readSubjectCursor}; undefined = the first page
 * @param state only subjects in this state
 * @returns the page, how many subjects of the whole expectation are in each state (null if nobody counts them), and the cursor of the
 *   next page
 * @throws ServiceError `not-found` if no expectation has the name
 */
export async function listSubjects(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  name: string,
  { after, limit, state }: { after: string | undefined; limit: number; state: SubjectState | undefined },
): Promise<{
  kind: Expectation['kind'];
  subjects: JudgedSubject[];
  counts: StateCounts | null;
  /** Gaps that are open; undefined where subjects are counted. */
  openGaps: number | undefined;
  next: string | null;
}> {
  const expectation = await presentExpectation(table, org, name);
  const page = { org: org.id, expectation, now: clock.now(), after, limit, state };
  const [{ subjects, counts, last }, openGaps] = await Promise.all([
    expectation.archived ? pageOf([], page) : FINDERS[expectation.kind](table, page),
    countOpenGaps(table, org.id, expectation),
  ]);
  const next = last === null ? null : cursorIn(listOf(org.id, name), last);
  return { kind: expectation.kind, subjects, counts, openGaps, next };
}
