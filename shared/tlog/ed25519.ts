import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** Ed25519 (RFC 8032), with raw keys as notes contain them. */

export const PUBLIC_KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** A key pair whose private half may lie elsewhere, such as in a key service. */
export interface Ed25519Key {
  /** 32 bytes. */
  readonly publicKey: Buffer;
  /** Signs the message itself, not a digest of it. Returns 64 bytes. */
  sign(message: Uint8Array): Promise<Buffer>;
}

/** What precedes the raw key in the DER form of a public key (SPKI) and of a seed (PKCS 8), by RFC 8410. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Returns the key pair of a private key of this process. */
export function localKey(privateKey: KeyObject): Ed25519Key {
  return {
    publicKey: rawPublicKey(createPublicKey(privateKey)),
    sign: async (message) => sign(null, message, privateKey),
  };
}

/** Returns the private key that a seed of 32 bytes gives. */
export const privateKeyOf = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });

/** @throws TypeError if the key is not an Ed25519 key */
export function rawPublicKey(key: KeyObject): Buffer {
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError(`The key is of the type ${key.asymmetricKeyType}.`);
  return key.export({ format: 'der', type: 'spki' }).subarray(-PUBLIC_KEY_BYTES);
}

/** Returns the key as OpenSSL and trusted roots want it: SPKI in DER. */
export const spkiOf = (publicKey: Uint8Array): Buffer => Buffer.concat([SPKI_PREFIX, publicKey]);

export const verifyEd25519 = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  verify(null, message, createPublicKey({ key: spkiOf(publicKey), format: 'der', type: 'spki' }), signature);
