import type { Uses } from '#shared/table/uses.ts';
import { parseProofFile } from '#shared/tlog/proof-file.ts';
import { type LinkEntry, parseEntry } from '../rules/entry.ts';
import { requireOpenings } from './check-openings.ts';
import type { Opening } from './openings.ts';
import type { Receipt } from './receipt.ts';

export const GET_RECEIPT: Uses = { bucket: ['log:read', 'bodies:read'] };

/** A receipt; if it was asked for, with the header of the entry and the texts that the header commits to. */
export interface OpenedReceipt extends Receipt {
  opened: { header: LinkEntry['header']; openings: Opening[] } | null;
}

/**
 * Waits for a receipt, and reads the texts of its entry if they are asked for (rules/log.md#openings).
 *
 * @param receipt null if no checkpoint covers the entry yet
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
