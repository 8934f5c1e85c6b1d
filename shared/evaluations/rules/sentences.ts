import { sentence } from '#shared/base/errors.ts';

// The sentences of rules/evaluations.md#unknown-evaluation and rules/evaluations.md#replay-of-an-evaluation.
export const evaluationNotFound = sentence('not-found', 'Evaluation not found');
export const nothingToReplay = sentence(
  'invalid',
  'This evaluation has no outcome of its policy yet, or what it was given is gone: there is nothing to replay',
);
