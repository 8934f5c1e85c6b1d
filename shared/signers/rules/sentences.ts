import { sentence } from '#shared/base/errors.ts';
import { MOST_RECALLS } from './recall-records.ts';
import { MOST_ROOTS, MOST_SIGNERS, PUBLIC_ROOT } from './records.ts';

// The sentences of rules/verified-evidence.md#signers.
export const unknownSigner = sentence('not-found', "Signer '{signer}' does not exist in organization '{org}'");
export const unknownRoot = sentence('not-found', "Trust root '{root}' does not exist in organization '{org}'");
export const unknownRecall = sentence('not-found', "Recall '{recall}' does not exist in organization '{org}'");
export const tooManySigners = sentence(
  'invalid',
  `The organization has {count} signers, and at most ${MOST_SIGNERS} are possible. Deleted ones count. Save one of them again instead`,
);
export const tooManyRoots = sentence(
  'invalid',
  `The organization has {count} trust roots, and at most ${MOST_ROOTS} are possible. Deleted ones count. Save one of them again instead`,
);
export const tooManyRecalls = sentence(
  'invalid',
  `The organization has {count} recalls, and at most ${MOST_RECALLS} are possible. Deleted ones count. Save one of them again instead`,
);
export const publicRootStays = sentence(
  'invalid',
  `The trust root '${PUBLIC_ROOT}' comes with the service. Choose another name`,
);
