import type {
  archiveExpectation as archive,
  putExpectation as put,
} from '#functions/expectations/change-expectation.ts';
import type { dryRunExpectation as dryRun } from '#functions/expectations/dry-run-expectation.ts';
import type { excuseGap as excuse } from '#functions/expectations/excuse-gap.ts';
import type { listExpectationSubjects } from '#functions/expectations/list-subjects.ts';
import type {
  getExpectation,
  listExpectations,
  listExpectationVersions,
} from '#functions/expectations/read-expectations.ts';
import type { getGap, listGaps } from '#functions/expectations/read-gaps.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations on expectations. */
export const expectations = operation<typeof listExpectations>()('GET', '/expectations/{org}', 'reader');
export const expectation = operation<typeof getExpectation>()('GET', '/expectations/{org}/{name}', 'reader');
export const expectationVersions = operation<typeof listExpectationVersions>()(
  'GET',
  '/expectations/{org}/{name}/versions',
  'reader',
);
export const expectationSubjects = operation<typeof listExpectationSubjects>()(
  'GET',
  '/expectations/{org}/{name}/subjects',
  'reader',
);
export const putExpectation = operation<typeof put>()('PUT', '/expectations/{org}', 'member');
export const dryRunExpectation = operation<typeof dryRun>()('POST', '/expectations/{org}/dry-run', 'member');
export const archiveExpectation = operation<typeof archive>()('POST', '/expectations/{org}/{name}/archive', 'member');

export const gaps = operation<typeof listGaps>()('GET', '/gaps/{org}', 'reader');
export const gap = operation<typeof getGap>()('GET', '/gaps/{org}/{gap_id}', 'reader');
export const excuseGap = operation<typeof excuse>()('POST', '/gaps/{org}/{gap_id}/excuse', 'member');

export type Gap = AnswerOf<typeof getGap>;
export type Expectation = AnswerOf<typeof getExpectation>;
type Subjects = AnswerOf<typeof listExpectationSubjects>;
export type Subject = Subjects['subjects'][number];
export type StateCounts = NonNullable<Subjects['counts']>;
export type DryRun = AnswerOf<typeof dryRun>;
