import { retrying } from '#shared/base/retry.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { Services } from '#shared/http/services.ts';
import { addSignatures, formatNote, type NoteSignature } from '#shared/tlog/notes.ts';
import { witnessSigner } from '#shared/tlog/signer.ts';
import { originDigest, readWitnessed, storeNote, storeTree } from './records/witnessed.ts';
import { type Admitted, continuesTree, NO_TREE, witnessName } from './rules/witness.ts';

export type AddOutcome =
  | { outcome: 'cosigned'; signature: NoteSignature }
  /** The request does not begin at the size that the witness cosigned last. */
  | { outcome: 'other size'; size: number };

/**
 * Cosigns a checkpoint that continues the tree of its log (rules/log.md#add-checkpoint). The tree is stored before it is
 * signed, on condition of the tree that was read. So the witness never signs two trees of which none continues the other.
 *
 * @throws ServiceError `inconsistent` if the checkpoint does not continue the tree
 */
export async function addCheckpoint(
  { table, clock, keys, logDomain }: Pick<Services, 'table' | 'clock' | 'keys' | 'logDomain'>,
  admitted: Admitted,
): Promise<AddOutcome> {
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
