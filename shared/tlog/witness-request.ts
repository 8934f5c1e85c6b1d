import { decodeDecimal, decodeHash, readText } from './encoding.ts';
import { malformed } from './errors.ts';
import { type Note, parseNote } from './notes.ts';

/** What a log sends to a witness, and how the witness names a size (C2SP tlog-witness; rules/log.md#add-checkpoint). */

/** Content type of the answer that names the size of the checkpoint that the witness cosigned last. */
export const SIZE_TYPE = 'text/x.tlog.size';

/** A proof of consistency between two sizes below 2^63 has at most this many hashes. */
const MAX_HASHES = 63;

export interface AddCheckpoint {
  /** Size of the checkpoint that the log believes the witness cosigned last; 0 if none. */
  oldSize: number;
  proof: Buffer[];
  /** The signed checkpoint. Without signature lines it has no signatures. */
  note: Note;
}

/**
 * Reads a request to cosign a checkpoint. It verifies neither signatures nor the proof.
 *
 * @throws TlogError `malformed`
 */
export function parseAddCheckpoint(bytes: Uint8Array | string): AddCheckpoint {
  const text = readText(bytes, 'request');
  const split = text.indexOf('\n\n');
  if (split < 0) throw malformed('The request has no empty line before the checkpoint.');
  const [first = '', ...lines] = text.slice(0, split).split('\n');
  const oldSize = first.startsWith('old ') ? decodeDecimal(first.slice('old '.length)) : undefined;
  if (oldSize === undefined) throw malformed(`Line 1 of the request is not 'old <size>': '${first}'.`);
  if (lines.length > MAX_HASHES) throw malformed(`The proof has ${lines.length} hashes, above ${MAX_HASHES}.`);
  const proof = lines.map((line, i) => {
    const hash = decodeHash(line);
    if (!hash) throw malformed(`Line ${i + 2} of the request is not the base64 of a SHA-256 hash: '${line}'.`);
    return hash;
  });
  return { oldSize, proof, note: parseUnsignedNote(text.slice(split + 2)) };
}

/** A witness refuses a note without signatures in another way than text that is no note. */
const parseUnsignedNote = (text: string): Note =>
  text.endsWith('\n\n') ? { text: text.slice(0, -1), signatures: [] } : parseNote(text);

/** @param note the signed checkpoint as text */
export const formatAddCheckpoint = ({ oldSize, proof, note }: Omit<AddCheckpoint, 'note'> & { note: string }): string =>
  [`old ${oldSize}`, ...proof.map((hash) => hash.toString('base64')), '', note].join('\n');

export const formatSize = (size: number): string => `${size}\n`;

/** Reads the size in a witness's answer. Returns undefined if the text is no size. */
export const parseSize = (text: string): number | undefined =>
  text.endsWith('\n') ? decodeDecimal(text.slice(0, -1)) : undefined;
