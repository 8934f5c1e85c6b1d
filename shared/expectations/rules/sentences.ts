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
export const tooMuchToPlay = sentence(
  'invalid',
  'The dry run would look at {subjects} environments on {days} days, which is {product} days of environments, and at most 9000 are possible. Name fewer environments, or give a later `from`',
);
export const tooManyToPlay = sentence(
  'invalid',
  'The dry run would look at {count} {what} or more, and at most {most} are possible. Name fewer in the scope, or give a later `from`',
);
export const tooManySubjects = sentence(
  'invalid',
  `{count} environments have these tags, and an expectation may be about at most ${MOST_SUBJECTS}. Give more tags`,
);
export const unknownGap = sentence('not-found', "Gap '{gap}' does not exist in organization '{org}'");
export const excusedBefore = sentence('conflict', "The gap was excused already, by '{by}'. An excuse is not replaced");
export const nothingToExcuse = sentence(
  'conflict',
  'The service itself did not run for a part of this time, so nobody has to excuse it',
);
export const tooManyFlows = sentence(
  'invalid',
  `{count} flows have these tags, and an expectation may be about at most ${MOST_SUBJECTS}. Give more tags`,
);
