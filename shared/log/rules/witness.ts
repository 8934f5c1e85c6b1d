import { type Checkpoint, parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { TlogError } from '#shared/tlog/errors.ts';
import { type VerifierKey, verifierKey } from '#shared/tlog/keys.ts';
import { type Note, verifySignatures } from '#shared/tlog/notes.ts';
import { verifyConsistency } from '#shared/tlog/proofs.ts';
import { EMPTY_ROOT } from '#shared/tlog/tree.ts';
import { type AddCheckpoint, parseAddCheckpoint } from '#shared/tlog/witness-request.ts';
import { badCheckpointRequest, notConsistent, notSignedByLog, unknownLog } from './sentences.ts';

/** What a witness accepts (C2SP tlog-witness; rules/log.md#add-checkpoint). */

/** A request whose checkpoint a known log signed. */
interface Admitted extends Omit<AddCheckpoint, 'note'> {
  checkpoint: Checkpoint;
  /** The checkpoint with the signatures of its log only. */
  note: Note;
}

/** The largest tree of a log that a witness has cosigned. */
export type WitnessedTree = Omit<Checkpoint, 'origin'>;
export const NO_TREE: WitnessedTree = { size: 0, root: EMPTY_ROOT };

/** The name of a region's witness. Each name of a log below the same domain begins with the id of an organization. */
export const witnessName = (logDomain: string): string => `witness.${logDomain}`;

/**
 * Reads a request, and requires that a known log signed its checkpoint. Needs no state, so that requests of strangers are
 * refused before anything is read.
 *
 * @throws ServiceError `invalid`, `refused` or `not-found`
 */
export function admitCheckpoint(text: string, known: readonly VerifierKey[]): Admitted {
  try {
    const { note: sent, ...request } = parseAddCheckpoint(text);
    const checkpoint = parseCheckpoint(sent.text);
    const keys = keysOf(checkpoint.origin, known);
    if (keys.length === 0) throw unknownLog();
    const isOfLog = ({ name, keyId }: Note['signatures'][number]) =>
      keys.some((key) => key.name === name && key.id === keyId);
    const note = { text: sent.text, signatures: sent.signatures.filter(isOfLog) };
    if (verifySignatures(note, keys).length === 0) throw notSignedByLog();
    if (request.oldSize > checkpoint.size) {
      throw badCheckpointRequest({ problem: `The old size ${request.oldSize} is above the size ${checkpoint.size}` });
    }
    return { ...request, checkpoint, note };
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    if (error.fault === 'signature') throw notSignedByLog({}, { cause: error });
    throw badCheckpointRequest({ problem: error.message.replace(/\.$/, '') }, { cause: error });
  }
}

/**
 * Returns the keys that may sign the checkpoints of a log. A key whose name is `eu.log.example.com` belongs to the log of
 * this name and to each log `<label>.eu.log.example.com`, because one key signs the logs of all organizations of a region.
 */
export const keysOf = (origin: string, known: readonly VerifierKey[]): VerifierKey[] =>
  known
    .filter(({ name }) => origin === name || isBelow(origin, name))
    .map(({ publicKey }) => verifierKey(origin, 'ed25519', publicKey));

const isBelow = (origin: string, domain: string): boolean =>
  origin.endsWith(`.${domain}`) && /^[a-z0-9-]{1,63}$/.test(origin.slice(0, -domain.length - 1));

/**
 * Requires that a checkpoint continues the tree that the witness cosigned last.
 *
 * @returns false if the request begins at another size than that tree
 * @throws ServiceError `inconsistent`
 */
export function continuesTree(tree: WitnessedTree, { oldSize, proof, checkpoint }: Admitted): boolean {
  if (oldSize !== tree.size) return false;
  if (!verifyConsistency(tree, checkpoint, proof)) throw notConsistent({ size: tree.size });
  return true;
}
