import { sentence } from '#shared/base/errors.ts';

export const exportNotFound = sentence('not-found', 'Export not found');
export const exportErased = sentence(
  'gone',
  'This export was erased at {at}, because a text that it can hold was erased: {reason}. Start a new export',
);

/** Why an export failed (rules/exports.md#record-of-an-export). */
export const PROBLEMS = {
  attempts: 'Ten calls of the exporter finished no step. Start a new export',
  checkpoint:
    'The log had no checkpoint that meets the witness policy, neither before nor within five minutes after the start. Start a new export when the witnesses answer again',
  erasure: 'A text was erased while the archive was made. Start a new export',
} as const;

export const WAITS_FOR =
  'A checkpoint of the log that meets the witness policy and covers the audit entry of the start of this export';

export const packageNotFound = sentence('not-found', 'Package not found');
export const packageErased = sentence(
  'gone',
  'This package was erased at {at}, because a text that it can hold was erased: {reason}. Start a new package',
);

/** Most packages that run at the same time (rules/exports.md#start-of-a-package). */
export const MOST_RUNNING = { ofCaller: 5, ofOrganization: 20 } as const;

export const tooManyPackages = sentence(
  'conflict',
  'You have {count} packages that are being made, the most there can be. Wait until one of them is done',
);
export const tooManyPackagesOfAll = sentence(
  'conflict',
  'The organization has {count} packages that are being made, the most there can be. Wait until one of them is done',
);

/** Why a package failed, beside {@link PROBLEMS} (rules/exports.md#record-of-a-package). */
export const PACKAGE_PROBLEMS = {
  size: 'A package holds at most 1000 snapshots, 2000 trails and 20000 moments, and these are more. Choose a shorter period, or ask an administrator for an export of the organization',
  empty: 'There is no record of this: nothing was reported in the period. Choose another period',
} as const;

export const PACKAGE_WAITS_FOR =
  'A checkpoint of the log that meets the witness policy and covers all records of this package';
