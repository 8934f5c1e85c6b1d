/**
 * Why something of a log was refused:
 * - `malformed`: it does not have the form of its standard
 * - `origin`: it is from a log that the policy does not name
 * - `signature`: the log did not sign it, or the signature of a known key is wrong
 * - `quorum`: too few witnesses cosigned it
 * - `proof`: the hashes do not lead to the root of the checkpoint
 */
type TlogFault = 'malformed' | 'origin' | 'signature' | 'quorum' | 'proof';

/** A refusal of something that was read: a note, a checkpoint, a tile, a proof, a policy. */
export class TlogError extends Error {
  readonly fault: TlogFault;

  constructor(fault: TlogFault, message: string) {
    super(message);
    this.name = 'TlogError';
    this.fault = fault;
  }
}

export const malformed = (message: string): TlogError => new TlogError('malformed', message);
