import { sentence } from '#shared/base/errors.ts';

// The sentences of rules/controls.md#control-errors.
export const unknownControl = sentence('not-found', "Control '{control}' does not exist in organization '{org}'");
/** Clients expect the quotation marks around this sentence (rules/tags.md#errors-of-tags). */
export const unknownControlTagged = sentence(
  'not-found',
  "\"Control '{control}' does not exist in organization '{org}'\"",
);
export const controlOrVersionNotFound = sentence('not-found', 'Control or version not found');
export const controlExists = sentence(
  'conflict',
  "A control with identifier '{control}' already exists in organization '{org}'",
);
export const controlArchived = sentence(
  'invalid',
  "Control '{control}' is archived in organization '{org}'. Unarchive it before changing it",
);
