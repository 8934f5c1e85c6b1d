import type { OrganizationId } from '#shared/base/ids.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Item } from '#shared/table/table.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { parseNote } from '#shared/tlog/notes.ts';
import { formatProofFile } from '#shared/tlog/proof-file.ts';
import { inclusionProof, verifyInclusion } from '#shared/tlog/proofs.ts';
import { leafHash } from '#shared/tlog/tree.ts';
import type { Claim } from '../records/claims.ts';
import { receiptCheckpoint } from '../records/log-state.ts';
import { proofFails, recordDiffers } from '../rules/sentences.ts';
import { logTiles } from '../tiles.ts';

/** The proof that an entry is in the log of an organization (rules/log.md#receipts). */
export interface Receipt {
  index: number;
  /** Size of the log at the checkpoint. */
  size: number;
  /** The entry, its index, the hashes up to the root and the signed checkpoint, as a proof file. */
  proof: string;
  hash: Buffer;
}

/**
 * Makes the receipt of an entry. Reads at most one tile, and stored roots with one call.
 *
 * @param entry the entry as its stored record gives it
 * @param claim where the log has the entry; null if the log does not have it yet
 * @param found the checkpoints, as items by their keys
 * @returns null if no checkpoint covers the entry yet
 * @throws ServiceError `broken` if the record gives another entry than the one that was logged, or the proof does not lead to the
 *   root of the signed checkpoint
 */
export async function receiptOf(
  services: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  entry: Buffer,
  claim: Claim | null,
  found: ReadonlyMap<string, Item>,
): Promise<Receipt | null> {
  const checkpoint = claim && receiptCheckpoint(org, found, claim.index);
  if (!checkpoint) return null;
  const { index } = claim;
  const hash = entryHash(entry);
  if (!hash.equals(claim.hash)) throw recordDiffers({ index });
  const { note, range } = checkpoint;
  const { size } = range;
  const { hashes: readTile, roots: readRoots } = logTiles(services, org, size);
  const hashes = await inclusionProof(index, { size, range, readTile, readRoots });
  const signed = parseCheckpoint(parseNote(note).text);
  if (!verifyInclusion({ index, leaf: leafHash(entry), proof: hashes }, signed)) throw proofFails({ index });
  return { index, size, hash, proof: formatProofFile({ index, hashes, extra: entry, checkpoint: note }) };
}
