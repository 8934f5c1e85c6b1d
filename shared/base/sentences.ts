import { sentence } from './errors.ts';

/** Sentences that several domains and doors throw. */

export const responseTooLarge = sentence(
  'answer-too-large',
  'The answer is larger than 5.5 MB. Ask for fewer records with page and per_page, or send Accept-Encoding: gzip',
);
export const permissionDenied = sentence('refused', "You don't have permission to access this resource");
// rules/organizations.md#suspension
export const organizationSuspended = sentence(
  'refused',
  "The operator of the service suspended the organization '{org}': {reason}",
);
export const changesSuspended = sentence(
  'refused',
  "The operator of the service suspended changes of the organization '{org}': {reason}",
);
// rules/agents.md#when-the-record-changed
export const changedMeanwhile = sentence(
  'conflict',
  '{what} has changed since this change of it was prepared. Prepare it again',
);
