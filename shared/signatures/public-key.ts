import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import { SignatureError } from './errors.ts';

/** Names of the curves whose keys are accepted, as the crypto module of Node calls them. */
const CURVES = new Set(['prime256v1', 'secp384r1']);
const LEAST_RSA_BITS = 2048;
const ACCEPTED = `an ECDSA key on P-256 or P-384, an Ed25519 key, or an RSA key of at least ${LEAST_RSA_BITS} bits`;

/** A public key that somebody trusts. */
export interface TrustedKey {
  readonly key: KeyObject;
  /** SHA-256 of the key in the form SubjectPublicKeyInfo, as hexadecimal digits. */
  readonly digest: string;
  /** `P-256`, `P-384`, `Ed25519` or `RSA 3072`. */
  readonly type: string;
}

/**
 * Reads a public key from PEM (rules/verified-evidence.md#public-keys).
 * @throws SignatureError for a private key, for several keys, and for a key that is of another kind or too short
 */
export function readPublicKey(pem: string): TrustedKey {
  const labels = [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map(([, label = '']) => label);
  const [label, ...others] = labels;
  if (label?.includes('PRIVATE'))
    throw new SignatureError('This is a private key. Send the public key, and replace this pair of keys');
  if (label === undefined || others.length > 0 || !/^(?:RSA )?PUBLIC KEY$/.test(label)) {
    throw new SignatureError('The text is not one public key as PEM, which begins with -----BEGIN PUBLIC KEY-----');
  }
  const key = readPem(pem);
  const type = typeOf(key);
  if (type === undefined) throw new SignatureError(`The key is of another kind. It should be ${ACCEPTED}`);
  return { key, digest: hash('sha256', key.export({ type: 'spki', format: 'der' })), type };
}

function readPem(pem: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch (error) {
    throw new SignatureError('The text has the form of a public key as PEM, and its content is none', error);
  }
}

function typeOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | undefined {
  const { namedCurve = '', modulusLength = 0 } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === 'ed25519') return 'Ed25519';
  if (asymmetricKeyType === 'ec' && CURVES.has(namedCurve)) return namedCurve === 'secp384r1' ? 'P-384' : 'P-256';
  return asymmetricKeyType === 'rsa' && modulusLength >= LEAST_RSA_BITS ? `RSA ${modulusLength}` : undefined;
}
