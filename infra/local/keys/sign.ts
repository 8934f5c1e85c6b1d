import { type KeyObject, sign as signMessage } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';

/**
 * Signs as the key service does.
 *
 * @returns undefined if a key of this kind cannot sign in this way
 */
export function sign(key: KeyObject, algorithm: string, messageType: string, message: Uint8Array): Buffer | undefined {
  switch (`${key.asymmetricKeyType} ${algorithm} ${messageType}`) {
    case 'ed25519 ED25519_SHA_512 RAW':
      return signMessage(null, message, key);
    case 'ec ECDSA_SHA_256 DIGEST':
      return message.length === DIGEST_BYTES ? signDigest(key, message) : undefined;
    default:
      return undefined;
  }
}

const DIGEST_BYTES = 32;

/** Node itself signs messages only, and would hash the digest once more. */
function signDigest(key: KeyObject, digest: Uint8Array): Buffer {
  const { d = '' } = key.export({ format: 'jwk' });
  return Buffer.from(p256.sign(digest, Buffer.from(d, 'base64url'), { prehash: false, format: 'der' }));
}
