import { decodeBase64, decodeDecimal, decodeHash, readText } from './encoding.ts';
import { malformed, TlogError } from './errors.ts';
import { type OpenedCheckpoint, openCheckpoint, type Policy } from './policy.ts';
import { verifyInclusion } from './proofs.ts';

/** A file that proves that a leaf is in a log (C2SP tlog-proof; rules/log.md#proof-files). */

const HEADER = 'c2sp.org/tlog-proof@v1';
const MAX_HASHES = 63;

export interface ProofFile {
  index: number;
  /** From the sibling of the leaf up to the root. */
  hashes: Buffer[];
  /** Data for the application. The proof does not cover it. */
  extra?: Buffer;
  /** The signed checkpoint, as a note. */
  checkpoint: string;
}

export function formatProofFile({ index, hashes, extra, checkpoint }: ProofFile): string {
  const extraLine = extra ? `extra ${extra.toString('base64')}\n` : '';
  const hashLines = hashes.map((hash) => `${hash.toString('base64')}\n`).join('');
  return `${HEADER}\n${extraLine}index ${index}\n${hashLines}\n${checkpoint}`;
}

/** @throws TlogError `malformed` */
export function parseProofFile(bytes: Uint8Array | string): ProofFile {
  const text = readText(bytes, 'proof');
  if (!text.endsWith('\n')) throw malformed('The last line of the proof has no line feed at its end.');
  const end = text.indexOf('\n\n');
  if (end < 0) throw malformed('The proof has no empty line before its checkpoint.');
  const [header, ...lines] = text.slice(0, end).split('\n');
  if (header !== HEADER) throw malformed(`The proof does not begin with '${HEADER}'.`);
  const extra = lines[0]?.startsWith('extra ') ? decodeBase64(lines.shift()?.slice('extra '.length) ?? '') : null;
  if (extra === undefined) throw malformed('The extra data of the proof is not base64.');
  const indexLine = lines.shift() ?? '';
  const index = indexLine.startsWith('index ') ? decodeDecimal(indexLine.slice('index '.length)) : undefined;
  if (index === undefined) throw malformed(`The proof has no index, but '${indexLine}'.`);
  if (lines.length > MAX_HASHES) throw malformed(`The proof has ${lines.length} hashes, above ${MAX_HASHES}.`);
  const hashes = lines.map((line, i) => {
    const hash = decodeHash(line);
    if (!hash) throw malformed(`Hash ${i + 1} of the proof is not the base64 of a SHA-256 hash.`);
    return hash;
  });
  return { index, hashes, ...(extra && { extra }), checkpoint: text.slice(end + 2) };
}

/**
 * Verifies that a leaf is in the log of the checkpoint, under the keys of the policy.
 *
 * @param leaf hash of the leaf. The caller computes it, because extra data proves nothing
 * @throws TlogError of {@link openCheckpoint}, and `proof` if the hashes do not lead from the leaf to the root
 */
export function verifyProofFile(file: ProofFile, leaf: Buffer, policy: Policy): OpenedCheckpoint {
  const checkpoint = openCheckpoint(file.checkpoint, policy);
  if (!verifyInclusion({ index: file.index, leaf, proof: file.hashes }, checkpoint)) {
    const { origin, size } = checkpoint;
    throw new TlogError(
      'proof',
      `The proof does not show that the leaf is entry ${file.index} of ${size} in '${origin}'.`,
    );
  }
  return checkpoint;
}
