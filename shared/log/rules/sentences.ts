import { sentence } from '#shared/base/errors.ts';

// The sentences of rules/log.md#sentences-of-the-log.
export const noCheckpoint = sentence(404, "The log of organization '{org}' has no checkpoint yet");
export const noTile = sentence(404, "The log of organization '{org}' has no tile '{path}'");

// The sentences of rules/log.md#statements.
export const notYetProven = 'The statement is not yet in a published checkpoint of the log. Repeat the request';
export const noPiece = sentence(404, "Snapshot {index} of environment '{env}' has no piece {piece} of statements");
export const nothingToState = sentence(
  409,
  'This evaluation has no result of its policy, so there is nothing to state',
);
export const statementErased = sentence(410, 'This statement was erased at {at}: {reason}');
