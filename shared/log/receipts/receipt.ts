import { commitment } from '#shared/base/digests.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import type { Reading } from '#shared/bodies/stores.ts';
import type { Item } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { parseNote } from '#shared/tlog/notes.ts';
import { formatProofFile, parseProofFile } from '#shared/tlog/proof-file.ts';
import { inclusionProof, verifyInclusion } from '#shared/tlog/proofs.ts';
import { leafHash } from '#shared/tlog/tree.ts';
import type { Claim } from '../records/claims.ts';
import { receiptCheckpoint } from '../records/log-state.ts';
import { type LinkEntry, parseEntry } from '../rules/entry.ts';
import { proofFails, recordDiffers, textDiffers, textMissing } from '../rules/sentences.ts';
import { logTiles } from '../tiles.ts';
import type { Opening } from './openings.ts';

/** The proof that an entry is in the log of an organization (rules/log.md#receipts). */
interface Receipt {
  index: number;
  size: number;
  /** The entry, its index, the hashes up to the root and the signed checkpoint, as a proof file. */
  proof: string;
  hash: Buffer;
}

/**
 * Makes the receipt of an entry. Reads at most one tile, and stored roots with one call.
 *
 * @param claim where the log has the entry; null if the log does not have it yet
 * @returns null if no checkpoint covers the entry yet
 * @throws ServiceError `broken` if the record gives another entry than the one that was logged, or the proof does not lead to the
 *   root of the signed checkpoint
 */
export async function receiptOf(
  services: Reading,
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

export const GET_RECEIPT: Uses = { bucket: ['log:read', 'bodies:read'] };

/** A receipt; if it was asked for, with the header of the entry and the texts that the header commits to. */
export interface OpenedReceipt extends Receipt {
  opened: { header: LinkEntry['header']; openings: Opening[] } | null;
}

/**
 * Waits for a receipt, and reads the texts of its entry if they are asked for (rules/log.md#openings).
 *
 * @param readOpenings reads the texts; null: without them
 * @throws ServiceError `broken` if a text is not the one that the entry commits to
 */
export async function openReceipt(
  receipt: Promise<Receipt | null>,
  readOpenings: (() => Promise<Opening[]>) | null,
): Promise<OpenedReceipt | null> {
  const [made, openings] = await Promise.all([receipt, readOpenings?.()]);
  if (!made || !openings) return made && { ...made, opened: null };
  const { proof, index } = made;
  const entry = parseEntry(parseProofFile(proof).extra ?? Buffer.alloc(0));
  if (entry.kind !== 'link') throw new Error(`Entry ${index} is the record of a statement, which has no header`);
  requireOpenings(entry.header.commitments, openings, index);
  return { ...made, opened: { header: entry.header, openings } };
}

/**
 * Requires that texts are those under the commitments of an entry (rules/log.md#openings).
 *
 * @param commitments of the header, in hex, by name
 * @throws ServiceError `broken` if a commitment has another text or salt, or none although no erasure removed it
 */
export function requireOpenings(
  commitments: Readonly<Record<string, string>>,
  openings: readonly Opening[],
  index: number,
): void {
  const opened = new Map(openings.map((opening) => [opening.name, opening]));
  for (const [name, pledge] of Object.entries(commitments)) {
    const { salt = null, text = null, erased } = opened.get(name) ?? {};
    if (salt === null || text === null) {
      if (!erased) throw textMissing({ name, index });
    } else if (commitment(salt, text).toString('hex') !== pledge) {
      throw textDiffers({ name, index });
    }
  }
}
