import type { Table } from '#shared/table/table.ts';
import { judgeSubjects } from '../judge-subjects.ts';
import { readScope } from '../read-scope.ts';
import { type PlacedSubject, pageOf } from './counted-subjects.ts';
import type { SubjectPage, SubjectsFound } from './subject.ts';

/** Lists the environments of an expectation of the kind `reports`, by name. */
export async function findEnvironments(table: Table, page: SubjectPage): Promise<SubjectsFound> {
  const { org, expectation, now } = page;
  const judged = judgeSubjects(expectation, await readScope(table, org, expectation.scope), now);
  return pageOf(
    judged.map(({ environment, state, reported, due }): PlacedSubject => {
      const subject = { type: 'environment' as const, environment };
      return { place: environment, subject, state, met: reported, due };
    }),
    page,
  );
}
