import {
  type Bytes,
  decodeBase64,
  decodeDecimal,
  decodeHash,
  hex,
  joined,
  Malformed,
  requireText,
  type Subtle,
  utf8,
} from './encoding.ts';

/** Signed notes, checkpoints and keys, read and verified with WebCrypto (rules/log.md#signed-notes). */

const MOST_SIGNATURES = 100;
const ID_BYTES = 4;
const SIGNATURE_BYTES = 64;
const TIME_BYTES = 8;
const ED25519 = 0x01;
const COSIGNATURE = 0x04;

interface NoteSignature {
  name: string;
  keyId: string;
  signature: Bytes;
}

interface Note {
  /** The signed text. It ends with a line feed. */
  text: string;
  signatures: NoteSignature[];
}

export interface Checkpoint {
  origin: string;
  size: number;
  root: Bytes;
}

export interface VerifierKey {
  name: string;
  id: string;
  /** Whether the key cosigns, as the key of a witness. */
  isWitness: boolean;
  publicKey: Bytes;
}

const isKeyName = (name: string): boolean => name.isWellFormed() && /^[^\p{White_Space}+]+$/u.test(name);

/** @throws Malformed */
export function parseNote(note: string): Note {
  requireText(note, 'checkpoint');
  const split = note.lastIndexOf('\n\n');
  if (split < 0) throw new Malformed('the checkpoint has no empty line before its signatures');
  return { text: note.slice(0, split + 1), signatures: parseSignatures(note.slice(split + 2)) };
}

function parseSignatures(text: string): NoteSignature[] {
  if (!text.endsWith('\n')) throw new Malformed('the last signature has no line feed at its end');
  const lines = text.slice(0, -1).split('\n');
  if (lines.length > MOST_SIGNATURES) throw new Malformed(`the checkpoint has more than ${MOST_SIGNATURES} signatures`);
  return lines.map((line, n) => {
    if (lines.indexOf(line) < n) throw new Malformed(`signature ${n + 1} of the checkpoint repeats an earlier one`);
    const [, name = '', encoded = ''] = /^— ([^ ]+) ([^ ]+)$/.exec(line) ?? [];
    const bytes = decodeBase64(encoded);
    if (!bytes || bytes.length <= ID_BYTES || !isKeyName(name)) {
      throw new Malformed(`signature ${n + 1} of the checkpoint does not have the form of a signature`);
    }
    return { name, keyId: hex(bytes.subarray(0, ID_BYTES)), signature: bytes.slice(ID_BYTES) };
  });
}

/** Reads the text of a checkpoint. Lines that other logs add are accepted. @throws Malformed */
export function parseCheckpoint(text: string): Checkpoint {
  const lines = text.split('\n');
  if (lines.length < 4 || lines.pop() !== '') throw new Malformed('the checkpoint does not have three lines');
  const [origin = '', sizeText = '', rootText = '', ...more] = lines;
  if (origin === '') throw new Malformed('the checkpoint names no log');
  const size = decodeDecimal(sizeText);
  if (size === null) throw new Malformed('the size of the checkpoint is no number');
  const root = decodeHash(rootText);
  if (!root) throw new Malformed('the root of the checkpoint is not the base64 of a SHA-256');
  if (more.includes('')) throw new Malformed('the checkpoint has an empty line');
  return { origin, size, root };
}

/** Reads a key: `<name>+<id>+<base64 of type and key>`. @throws Malformed, also if the id is not that of name and key */
export async function parseKey(text: string, subtle: Subtle): Promise<VerifierKey> {
  // The base64 at the end may itself have plus signs.
  const [, name = '', id = '', encoded = ''] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/.exec(text) ?? [];
  const bytes = decodeBase64(encoded);
  const [type] = bytes ?? [];
  if (!bytes || !isKeyName(name) || bytes.length !== 33 || (type !== ED25519 && type !== COSIGNATURE)) {
    throw new Malformed('a key of the log does not have the form of a key');
  }
  const digest = new Uint8Array(await subtle.digest('SHA-256', joined(utf8(`${name}\n`), bytes)));
  if (hex(digest.subarray(0, ID_BYTES)) !== id) throw new Malformed(`the id ${id} is not that of the key of ${name}`);
  return { name, id, isWitness: type === COSIGNATURE, publicKey: bytes.slice(1) };
}

/** What is known of the signatures of a note. */
interface Signers {
  /** Keys whose signatures are right. */
  right: VerifierKey[];
  /** Keys whose signatures are wrong. */
  wrong: VerifierKey[];
}

/**
 * Verifies the signatures of known keys and ignores all others.
 *
 * @returns null if the browser does not know Ed25519
 */
export async function verifySignatures(
  { text, signatures }: Note,
  keys: readonly VerifierKey[],
  subtle: Subtle,
): Promise<Signers | null> {
  const signers: Signers = { right: [], wrong: [] };
  for (const { name, keyId, signature } of signatures) {
    const key = keys.find((known) => known.name === name && known.id === keyId);
    if (!key) continue;
    const isRight = await isSignature(text, signature, key, subtle);
    if (isRight === null) return null;
    (isRight ? signers.right : signers.wrong).push(key);
  }
  return signers;
}

async function isSignature(text: string, signature: Bytes, key: VerifierKey, subtle: Subtle) {
  if (!key.isWitness) return verifyEd25519(key.publicKey, signature, utf8(text), subtle);
  if (signature.length !== TIME_BYTES + SIGNATURE_BYTES) return false;
  const seconds = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
  if (seconds > BigInt(Number.MAX_SAFE_INTEGER)) return false;
  const message = utf8(`cosignature/v1\ntime ${seconds}\n${text}`);
  return verifyEd25519(key.publicKey, signature.slice(TIME_BYTES), message, subtle);
}

async function verifyEd25519(publicKey: Bytes, signature: Bytes, message: Bytes, subtle: Subtle) {
  if (signature.length !== SIGNATURE_BYTES) return false;
  try {
    const key = await subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
    return await subtle.verify('Ed25519', key, signature, message);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotSupportedError') return null;
    throw error;
  }
}
