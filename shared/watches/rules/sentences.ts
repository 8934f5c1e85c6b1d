import { sentence } from '#shared/base/errors.ts';
import { MOST_WATCHES } from './watch.ts';

// The sentences of rules/watches.md#errors.
export const unknownWatch = sentence('not-found', "Watch '{watch}' does not exist in organization '{org}'");
export const tooManyWatches = sentence(
  'invalid',
  `The organization has {count} watches, and at most ${MOST_WATCHES} are possible. Delete one first`,
);
