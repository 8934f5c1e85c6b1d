import { verifyCosignature } from './cosignature.ts';
import { SIGNATURE_BYTES, verifyEd25519 } from './ed25519.ts';
import { decodeBase64, readText } from './encoding.ts';
import { malformed, TlogError } from './errors.ts';
import { isKeyName, type VerifierKey } from './keys.ts';

/** Signed notes: a text, an empty line, and a line per signature (C2SP signed-note; rules/log.md#signed-notes). */

const MAX_SIGNATURES = 100;
const ID_BYTES = 4;

export interface NoteSignature {
  name: string;
  /** 4 bytes in hex. */
  keyId: string;
  /** The bytes after the key id. Their form depends on the type of the key. */
  signature: Buffer;
}

export interface Note {
  /** The signed text. It ends with a line feed. */
  text: string;
  signatures: NoteSignature[];
}

export interface VerifiedSignature {
  key: VerifierKey;
  /** Time of a cosignature, in seconds since the epoch. */
  seconds?: number;
}

/** Reads a note. It does not verify the signatures. @throws TlogError `malformed` */
export function parseNote(bytes: Uint8Array | string): Note {
  const note = readText(bytes, 'note');
  const split = note.lastIndexOf('\n\n');
  if (split < 0) throw malformed('The note has no empty line before its signatures.');
  return { text: note.slice(0, split + 1), signatures: parseSignatures(note.slice(split + 2)) };
}

/**
 * Reads signature lines, as notes end with and as witnesses answer.
 *
 * @throws TlogError `malformed`, also for more than 100 lines and for a line that appears twice
 */
export function parseSignatures(text: string): NoteSignature[] {
  if (!text.endsWith('\n')) throw malformed('The last signature line has no line feed at its end.');
  const lines = text.slice(0, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) {
    throw malformed(`The note has ${lines.length} signatures, above ${MAX_SIGNATURES}.`);
  }
  return lines.map((line, i) => {
    if (lines.indexOf(line) < i) throw malformed(`Signature line ${i + 1} of the note repeats an earlier one.`);
    const [, name = '', encoded = ''] = /^— ([^ ]+) ([^ ]+)$/.exec(line) ?? [];
    const bytes = decodeBase64(encoded);
    if (!bytes || bytes.length <= ID_BYTES || !isKeyName(name)) {
      throw malformed(`Signature line ${i + 1} of the note does not have the form '— name base64'.`);
    }
    return { name, keyId: bytes.toString('hex', 0, ID_BYTES), signature: bytes.subarray(ID_BYTES) };
  });
}

export const formatNote = ({ text, signatures }: Note): string => `${text}\n${formatSignatures(signatures)}`;

export const formatSignatures = (signatures: readonly NoteSignature[]): string =>
  signatures
    .map(({ name, keyId, signature }) => {
      const bytes = Buffer.concat([Buffer.from(keyId, 'hex'), signature]);
      return `— ${name} ${bytes.toString('base64')}\n`;
    })
    .join('');

/** Returns the note with more signatures. A signature replaces an older one of the same key. */
export function addSignatures({ text, signatures }: Note, more: readonly NoteSignature[]): Note {
  const isReplaced = (old: NoteSignature) => more.some(({ name, keyId }) => name === old.name && keyId === old.keyId);
  return { text, signatures: [...signatures.filter((old) => !isReplaced(old)), ...more] };
}

/**
 * Verifies the signatures of known keys and ignores all others.
 *
 * @throws TlogError `signature` if the signature of a known key is wrong
 */
export function verifySignatures({ text, signatures }: Note, keys: readonly VerifierKey[]): VerifiedSignature[] {
  return signatures.flatMap(({ name, keyId, signature }) => {
    const key = keys.find((known) => known.name === name && known.id === keyId);
    if (!key) return [];
    const verified = verifySignature(text, signature, key);
    if (!verified) throw new TlogError('signature', `The signature of ${name} with the key ${keyId} is wrong.`);
    return [verified];
  });
}

function verifySignature(text: string, signature: Buffer, key: VerifierKey): VerifiedSignature | undefined {
  if (key.type === 'cosignature') {
    const seconds = verifyCosignature(text, signature, key.publicKey);
    return seconds === undefined ? undefined : { key, seconds };
  }
  const isGood = signature.length === SIGNATURE_BYTES && verifyEd25519(key.publicKey, Buffer.from(text), signature);
  return isGood ? { key } : undefined;
}
