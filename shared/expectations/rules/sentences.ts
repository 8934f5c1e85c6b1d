import { sentence } from '#shared/base/errors.ts';
import { MOST_EXPECTATIONS, MOST_SUBJECTS } from './expectation.ts';

// The sentences of rules/expectations.md#errors.
export const unknownExpectation = sentence(
  'not-found',
  "Expectation '{expectation}' does not exist in organization '{org}'",
);
export const tooManyExpectations = sentence(
  'invalid',
  `The organization has {count} expectations, and at most ${MOST_EXPECTATIONS} are possible. Archived ones count. Change one of them instead`,
);
export const tooManySubjects = sentence(
  'invalid',
  `{count} environments have these tags, and an expectation may be about at most ${MOST_SUBJECTS}. Give more tags`,
);
