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
