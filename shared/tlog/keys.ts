import { hash } from 'node:crypto';
import { PUBLIC_KEY_BYTES } from './ed25519.ts';
import { decodeBase64 } from './encoding.ts';
import { malformed } from './errors.ts';

/** Verifier keys of signed notes (C2SP signed-note; rules/log.md#keys). */

/** The types of keys that this service knows. The standard has more. Signatures of other types count as unknown. */
const KEY_TYPES = { ed25519: 0x01, cosignature: 0x04 } as const;
export type KeyType = keyof typeof KEY_TYPES;

export interface VerifierKey {
  /** The signer, as signature lines name it. For the key of a log, this is the origin of the log. */
  name: string;
  type: KeyType;
  /** 32 bytes. */
  publicKey: Buffer;
  /** The first 4 bytes of {@link keyDigest}, in hex. */
  id: string;
}

/** @throws TlogError `malformed` if the name cannot be in a signature line or the key does not have 32 bytes */
export function verifierKey(name: string, type: KeyType, publicKey: Buffer): VerifierKey {
  if (!isKeyName(name)) throw malformed(`The name '${name}' of a key is empty or has a space or a plus sign.`);
  if (publicKey.length !== PUBLIC_KEY_BYTES) throw malformed(`The public key of '${name}' does not have 32 bytes.`);
  return { name, type, publicKey, id: keyDigest({ name, type, publicKey }).toString('hex', 0, 4) };
}

/** Returns the SHA-256 over name and key. Its first 4 bytes are the key's id in notes; sigstore bundles use all 32. */
export const keyDigest = ({ name, type, publicKey }: Omit<VerifierKey, 'id'>): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(KEY_TYPES[type]), publicKey]), 'buffer');

/** Returns a key as text: `<name>+<id in hex>+<base64 of type and key>`. */
export const formatVerifierKey = ({ name, id, type, publicKey }: VerifierKey): string =>
  `${name}+${id}+${Buffer.concat([Buffer.of(KEY_TYPES[type]), publicKey]).toString('base64')}`;

/** @throws TlogError `malformed`, also if the id does not belong to name and key */
export function parseVerifierKey(text: string): VerifierKey {
  // The base64 at the end may itself have plus signs.
  const [, name = '', id, encoded = ''] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/.exec(text) ?? [];
  const bytes = decodeBase64(encoded);
  if (!bytes || id === undefined) throw malformed(`The verifier key '${text}' does not have the form name+id+base64.`);
  // The type of `Object.keys` is wider than the literal above.
  const type = (Object.keys(KEY_TYPES) as KeyType[]).find((known) => KEY_TYPES[known] === bytes[0]);
  if (!type) throw malformed(`The verifier key '${text}' is neither an Ed25519 key nor a cosignature key.`);
  const key = verifierKey(name, type, bytes.subarray(1));
  if (key.id !== id) {
    throw malformed(`The verifier key '${text}' has the id ${id}. The id of this name and key is ${key.id}.`);
  }
  return key;
}

/** Says whether a name may stand in a signature line: no white space of Unicode, no plus sign. */
export const isKeyName = (name: string): boolean => name.isWellFormed() && /^[^\p{White_Space}+]+$/u.test(name);
