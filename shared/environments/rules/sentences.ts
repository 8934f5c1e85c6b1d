import { sentence } from '#shared/base/errors.ts';

export const environmentAndPolicy = sentence(
  'invalid',
  "Cannot specify both 'environment_name' and 'policy_name' at the same time",
);

// Environments and reports (rules/environments.md#names, rules/environments.md#refused-reports)
export const unknownEnvironment = sentence(
  'not-found',
  "Environment named '{env}' does not exist for organization '{org}'",
);
export const archivedEnvironment = sentence(
  'not-found',
  "Environment named '{env}' has been archived for organization '{org}'",
);
export const reportToLogical = sentence('invalid', 'cannot report a snapshot to the logical environment {env}');
export const reportOfOtherKind = sentence(
  'invalid',
  "Environment '{env}' is of type {type}: it takes no report of type {given}",
);
export const historyOfLogical = sentence('invalid', "'{env}' is a logical environment: ask for its members one by one");

// Snapshots (rules/snapshot-expressions.md#out-of-range, rules/snapshot-expressions.md#malformed-expressions)
export const snapshotOutOfRange = sentence(
  'not-found',
  "Org: '{org}'. Snapshot '{label}' resolves to '{env}#{index}'. len(snapshots) == {count}. Indexes are 1-based",
);
export const tooManyResults = sentence(
  'answer-too-large',
  'The answer would contain {shown} results of rules. At most {most} are possible. Ask for the artifacts of the snapshot in short (/artifacts), or for fewer policies',
);
export const severalMarks = sentence(
  'invalid',
  "invalid expression: {expression}. Only one of '@', '~' or '#' can be present",
);
export const invalidExpression = sentence(
  'invalid',
  'invalid expression: {expression}. It should be a snapshot index, #N, ~N, @{YYYY-MM-DDTHH:MM:SS} or @{N.<units>.ago}',
);
