import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import type { LinkEntry } from '#shared/log/rules/entry.ts';
import { readEntry } from '#shared/log/rules/verify/entries.ts';
import type { Checkpoint } from '#shared/tlog/checkpoint.ts';
import type { Policy } from '#shared/tlog/policy.ts';
import { parseProofFile, verifyProofFile } from '#shared/tlog/proof-file.ts';
import { leafHash } from '#shared/tlog/tree.ts';
import type { ExportFiles } from '../export-files.ts';
import { Fault, inPlace } from '../fault.ts';

/** An entry that a receipt proves. */
export interface ProvedEntry {
  entry: LinkEntry;
  /** In hex. */
  hash: string;
}

interface Trust {
  policy: Policy;
  /** The checkpoint of the package as it is signed. */
  note: string;
  checkpoint: Checkpoint;
}

/**
 * Verifies every receipt of a package (rules/verification.md#package): its proof leads from its entry to the root of the checkpoint
 * of the package.
 * @returns the entries by their indexes
 */
export async function readReceipts(
  files: ExportFiles,
  { policy, note, checkpoint }: Trust,
): Promise<Map<number, ProvedEntry>> {
  const found = new Map<number, ProvedEntry>();
  const [org] = checkpoint.origin.split('.');
  for (const path of files.facts.keys()) {
    const [, stated] = /^data\/receipts\/(\d+)\.tlog-proof$/.exec(path) ?? [];
    if (stated === undefined) continue;
    const bytes = await files.read(path);
    const file = inPlace(path, () => parseProofFile(bytes));
    const { extra, index } = file;
    if (!extra) throw new Fault(path, 'the receipt does not hold its entry: it has no line `extra`');
    if (String(index) !== stated) throw new Fault(path, `the receipt is one of entry ${index}`);
    if (file.checkpoint !== note) throw new Fault(path, 'the receipt has another checkpoint than the package');
    inPlace(path, () => verifyProofFile(file, leafHash(extra), policy));
    const entry = readEntry(path, extra);
    if (entry.kind !== 'link') throw new Fault(path, 'the entry is the record of a statement, which has no line');
    if (entry.org !== org) throw new Fault(path, `the entry is one of organization ${entry.org}`);
    found.set(index, { entry, hash: entryHash(extra).toString('hex') });
  }
  return found;
}
