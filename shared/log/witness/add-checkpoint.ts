import { retrying } from '#shared/base/retry.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { SigningKeys } from '#shared/signing/keys.ts';
import type { Uses } from '#shared/table/uses.ts';
import { addSignatures, formatNote, type NoteSignature } from '#shared/tlog/notes.ts';
import { witnessSigner } from '#shared/tlog/signer.ts';
import { originDigest, readWitnessed, storeNote, storeTree } from '../records/witnessed.ts';
import { admitCheckpoint, continuesTree, NO_TREE, witnessName } from '../rules/witness.ts';
import { parseWitnessedLogs } from '../rules/witness-settings.ts';
import type { WitnessSettings } from './read-witness.ts';

export const ADD_CHECKPOINT: Uses = { writes: ['@WITNESS'], keys: ['witness:sign'] };

export interface AddServices extends Pick<Stores, 'table' | 'clock'>, WitnessSettings {
  keys: Pick<SigningKeys, 'witness'>;
}

type AddOutcome =
  | { outcome: 'cosigned'; signature: NoteSignature }
  /** The request does not begin at the size that the witness cosigned last. */
  | { outcome: 'other size'; size: number };

/**
 * Cosigns a checkpoint that continues the tree of its log (rules/log.md#add-checkpoint). The tree is stored before it is
 * signed, on condition of the tree that was read. So the witness never signs two trees of which none continues the other.
 *
 * @throws ServiceError `invalid`, `not-found` or `refused` as {@link admitCheckpoint}, `inconsistent` if the checkpoint does not continue the tree
 */
export async function addCheckpoint(
  { table, clock, keys, logDomain, witness }: AddServices,
  request: string,
): Promise<AddOutcome> {
  const admitted = admitCheckpoint(request, parseWitnessedLogs(witness.logs));
  const { checkpoint, note } = admitted;
  const digest = originDigest(checkpoint.origin);
  const otherSize = await retrying(async () => {
    const before = await readWitnessed(table, digest);
    const tree = before ?? NO_TREE;
    if (!continuesTree(tree, admitted)) return { size: tree.size };
    const isKnown = before?.size === checkpoint.size;
    const isStored = isKnown || (await storeTree(table, digest, before, { ...checkpoint, at: clock.now() }));
    return isStored ? null : 'again';
  });
  if (otherSize) return { outcome: 'other size', ...otherSize };
  const seconds = () => Math.floor(toSeconds(clock.now()));
  const signature = await witnessSigner(witnessName(logDomain()), await keys.witness(), seconds).sign(note.text);
  await storeNote(table, digest, checkpoint.size, formatNote(addSignatures(note, [signature])));
  return { outcome: 'cosigned', signature };
}
