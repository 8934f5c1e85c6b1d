import { sentence } from '#shared/base/errors.ts';

// The sentences of rules/log.md#sentences-of-the-log.
export const noCheckpoint = sentence('not-found', "The log of organization '{org}' has no checkpoint yet");
export const noTile = sentence('not-found', "The log of organization '{org}' has no tile '{path}'");

// Receipts (rules/log.md#errors-of-receipts)
export const noMoment = sentence(
  'not-found',
  "Organization '{org}' has no moment {number} of a trail '{trail}' in a flow '{flow}'",
);
export const noSnapshot = sentence('not-found', "Environment '{env}' of organization '{org}' has no snapshot {number}");
export const noAuditEntry = sentence('not-found', "The audit log of organization '{org}' has no entry '{entry}'");

/** The answer while no checkpoint covers an entry (rules/log.md#receipts-that-are-not-ready). */
export const NOT_COVERED =
  'No checkpoint of the log covers this record yet. Ask again after the seconds in Retry-After';

// The sentences of rules/log.md#statements.
export const noPiece = sentence(
  'not-found',
  "Snapshot {index} of environment '{env}' has no piece {piece} of statements",
);
export const nothingToState = sentence(
  'invalid',
  'This evaluation has no result of its policy, so there is nothing to state',
);
export const statementErased = sentence('gone', 'This statement was erased at {at}: {reason}');

export const statementDiffers = sentence(
  'broken',
  'The stored statement {id} is not the one that was signed: it was changed afterwards',
);

export const caseDiffers = sentence(
  'broken',
  'No entry of the audit log covers {what} as it is stored: it was changed afterwards, or its entry was',
);

export const gapDiffers = sentence(
  'broken',
  'No entry of the audit log covers the stored gap {gap}: it was changed afterwards, or its entry was',
);

/** The answer while the log lacks records that a statement would rest on (rules/log.md#proved-records). */
export const NOT_LOGGED =
  'The log does not have all records of this statement yet. Ask again after the seconds in Retry-After';

// Answers of the witness (rules/log.md#add-checkpoint)
export const badCheckpointRequest = sentence('invalid', '{problem}');
export const notSignedByLog = sentence('refused', 'No known key of the log signed the checkpoint');
export const unknownLog = sentence('not-found', 'The witness does not know this log');
export const notConsistent = sentence(
  'inconsistent',
  'The checkpoint does not continue the tree of size {size} that was cosigned',
);
export const checkpointRequestTooLarge = sentence(
  'too-large',
  'The request of a log may have at most 64 KB (65536 bytes)',
);
export const nothingCosigned = sentence('not-found', 'The witness has cosigned no checkpoint of this log');

// Records that contradict the log (rules/log.md#records-that-are-gone)
export const recordDiffers = sentence(
  'broken',
  'The stored record differs from entry {index} of the log: the record was changed after it was accepted',
);
export const proofFails = sentence(
  'broken',
  'The proof of entry {index} does not lead to the root of the checkpoint: the claim, a tile or the checkpoint was changed',
);
export const stateDiffers = sentence(
  'broken',
  "The stored state of trail '{trail}' is not the one of its moments up to entry {index} of the log",
);
export const textDiffers = sentence(
  'broken',
  "The stored text under '{name}' differs from entry {index} of the log: it was changed after it was accepted",
);
export const textMissing = sentence(
  'broken',
  "The text under '{name}' of entry {index} of the log is missing, and no erasure removed it",
);
