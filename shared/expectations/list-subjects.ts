import type { OrganizationId } from '#shared/base/ids.ts';
import { AnyEnvironmentName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { cursorIn, readNameCursorIn } from '#shared/table/cursors.ts';
import { countStates, type JudgedSubject, judgeSubjects, type StateCounts } from './judge-subjects.ts';
import { presentExpectation } from './read-expectations.ts';
import { readScope } from './read-scope.ts';
import type { SubjectState } from './rules/expectation.ts';

const listOf = (org: OrganizationId, name: string): string[] => [org, 'expectation-subjects', name];

/** @returns the name of the last environment of the page before; null if the cursor does not belong to this list */
export const readSubjectCursor = (org: OrganizationId, name: string, cursor: string): string | null =>
  readNameCursorIn(listOf(org, name), cursor, AnyEnvironmentName);

/**
 * Lists the environments of an expectation, by name, as they are now (rules/expectations.md#subjects). An archived expectation
 * expects nothing, so it has none.
 *
 * @param after result of {@link readSubjectCursor}; undefined = the first page
 * @param state only subjects in this state
 * @returns the page, how many subjects of the whole expectation are in each state, and the cursor of the next page
 * @throws ServiceError `not-found` if no expectation has the name
 */
export async function listSubjects(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  name: string,
  { after, limit, state }: { after: string | undefined; limit: number; state: SubjectState | undefined },
): Promise<{ subjects: JudgedSubject[]; counts: StateCounts; next: string | null }> {
  const expectation = await presentExpectation(table, org, name);
  const subjects = expectation.archived ? [] : await readScope(table, org.id, expectation.scope);
  const judged = judgeSubjects(expectation, subjects, clock.now());
  const counts = countStates(judged);
  const wanted = judged
    .filter((subject) => state === undefined || subject.state === state)
    .filter(({ environment }) => after === undefined || environment > after);
  const page = wanted.slice(0, limit);
  const last = wanted.length > limit ? page.at(-1)?.environment : undefined;
  return { subjects: page, counts, next: last === undefined ? null : cursorIn(listOf(org.id, name), last) };
}
