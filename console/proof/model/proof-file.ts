import {
  type Bytes,
  decodeBase64,
  decodeDecimal,
  decodeHash,
  isSame,
  joined,
  Malformed,
  requireText,
  type Subtle,
} from './encoding.ts';
import type { Checkpoint } from './note.ts';

/** A proof file, and the way from its entry to the root of its checkpoint (rules/log.md#proof-files). */

const HEADER = 'c2sp.org/tlog-proof@v1';
const MOST_HASHES = 63;

export interface ProofFile {
  index: number;
  /** From the sibling of the leaf up to the root. */
  hashes: Bytes[];
  entry: Bytes;
  /** The signed checkpoint, as a note. */
  checkpoint: string;
}

/** @throws Malformed, also if the file does not hold its entry */
export function parseProofFile(text: string): ProofFile {
  requireText(text, 'receipt');
  const end = text.indexOf('\n\n');
  if (end < 0 || !text.endsWith('\n')) throw new Malformed('the receipt has no checkpoint');
  const [header, extraLine = '', indexLine = '', ...lines] = text.slice(0, end).split('\n');
  if (header !== HEADER) throw new Malformed(`the receipt does not begin with ${HEADER}`);
  const entry = extraLine.startsWith('extra ') ? decodeBase64(extraLine.slice('extra '.length)) : null;
  if (!entry) throw new Malformed('the receipt does not hold its entry as base64');
  const index = indexLine.startsWith('index ') ? decodeDecimal(indexLine.slice('index '.length)) : null;
  if (index === null) throw new Malformed('the receipt has no index');
  if (lines.length > MOST_HASHES) throw new Malformed(`the receipt has more than ${MOST_HASHES} hashes`);
  const hashes = lines.map((line, n) => {
    const hash = decodeHash(line);
    if (!hash) throw new Malformed(`hash ${n + 1} of the receipt is not the base64 of a SHA-256`);
    return hash;
  });
  return { index, hashes, entry, checkpoint: text.slice(end + 2) };
}

export const sha256 = async (bytes: Bytes, subtle: Subtle): Promise<Bytes> =>
  new Uint8Array(await subtle.digest('SHA-256', bytes));

/** Whether the hashes lead from the entry to the root of the checkpoint (RFC 9162 §2.1.3.2). */
export async function leadsToRoot(
  { index, hashes, entry }: ProofFile,
  { size, root }: Checkpoint,
  subtle: Subtle,
): Promise<boolean> {
  if (index >= size) return false;
  let hash = await sha256(joined(Uint8Array.of(0), entry), subtle);
  let [node, last] = [index, size - 1];
  for (const sibling of hashes) {
    if (last === 0) return false;
    const isLeft = node % 2 === 1 || node === last;
    hash = await sha256(joined(Uint8Array.of(1), ...(isLeft ? [sibling, hash] : [hash, sibling])), subtle);
    // The last node of a level has no sibling if its position is even. It then counts as a node of the level above.
    if (node === last) while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && isSame(hash, root);
}

const half = (position: number): number => Math.floor(position / 2);
