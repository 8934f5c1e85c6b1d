import { sentence } from '#shared/base/errors.ts';

export const environmentAndPolicy = sentence(
  400,
  "Cannot specify both 'environment_name' and 'policy_name' at the same time",
);

// Environments and reports (rules/environments.md#names, rules/environments.md#refused-reports)
export const unknownEnvironment = sentence(404, "Environment named '{env}' does not exist for organization '{org}'");
export const archivedEnvironment = sentence(
  404,
  "Environment named '{env}' has been archived for organization '{org}'",
);
export const reportToLogical = sentence(400, 'cannot report a snapshot to the logical environment {env}');
export const reportOfOtherKind = sentence(
  400,
  "Environment '{env}' is of type {type}: it takes no report of type {given}",
);
export const historyOfLogical = sentence(400, "'{env}' is a logical environment: ask for its members one by one");

// Snapshots (rules/snapshot-expressions.md#out-of-range, rules/snapshot-expressions.md#malformed-expressions)
export const snapshotOutOfRange = sentence(
  404,
  "Org: '{org}'. Snapshot '{label}' resolves to '{env}#{index}'. len(snapshots) == {count}. Indexes are 1-based",
);
export const tooManyResults = sentence(
  406,
  'The answer would contain {shown} results of rules. At most {most} are possible. Ask for the artifacts of the snapshot in short (/artifacts), or for fewer policies',
);
export const severalMarks = sentence(
  400,
  "invalid expression: {expression}. Only one of '@', '~' or '#' can be present",
);
export const invalidExpression = sentence(
  400,
  'invalid expression: {expression}. It should be a snapshot index, #N, ~N, @{YYYY-MM-DDTHH:MM:SS} or @{N.<units>.ago}',
);
