import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject, X509Certificate } from 'node:crypto';
import { BuiltinError } from '../../errors.ts';
import type { Run } from '../../run/context.ts';
import { parseJson, toPlain } from '../../values/plain.ts';
import { isArray, RegoObject, type Value } from '../../values/value.ts';

/** Bits of the largest RSA key. The work for one signature grows with the third power of its size. */
const MAX_RSA_BITS = 8192;
/** Bits of the smallest RSA key that can have signed something, and the largest public exponent, as in OPA. */
const MIN_RSA_BITS = 1024;
const MAX_RSA_EXPONENT = 2n ** 31n - 1n;

/** Units of work for reading one key or certificate. */
export const KEY_STEPS = 5000;

/** Units of work for reading a private RSA key with 2048 bits. OpenSSL checks its numbers, which is the most work. */
const PRIVATE_KEY_STEPS = 60_000;

/** @param size length of the text of the key, in parts of that of a key with 2048 bits */
export function spendPrivateKey(run: Run, size: number): void {
  run.budget.spend(Math.ceil(PRIVATE_KEY_STEPS * Math.max(0.1, size ** 3)));
}

/** A key of a token, with what a JSON Web Key says about it. */
export interface TokenKey {
  readonly id: string | null;
  readonly algorithm: string | null;
  readonly key: KeyObject;
}

/** Runs a function of Node's crypto and refuses the operand where it fails. */
export function cryptographic<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    // Errors of OpenSSL and of Node's argument checks have a code. Others are faults of the engine.
    if (error instanceof Error && 'code' in error) throw new BuiltinError(`${what} is not valid`);
    throw error;
  }
}

/** Reads and keeps something of a text during the evaluation, because policies read the same key for every token. */
export function remembered<T>(run: Run, kind: string, text: string, read: () => T): T {
  const key = `${kind}:${text}`;
  const known = run.memo.get(key);
  // The kind is part of the key, and each kind has one type of values.
  if (known !== undefined) return known as T;
  run.budget.string(text.length);
  run.budget.spend(KEY_STEPS);
  const made = read();
  run.memo.set(key, made);
  return made;
}

/** Whether a key is an RSA key that everybody can break. Nothing counts as signed by it. */
export function isTooSmall(key: KeyObject): boolean {
  return (key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS) < MIN_RSA_BITS;
}

/** Refuses RSA keys that cost too much. */
export function checkedKey(key: KeyObject): KeyObject {
  const { modulusLength, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength === undefined || publicExponent === undefined) return key;
  if (modulusLength > MAX_RSA_BITS) throw new BuiltinError(`RSA key has more than ${MAX_RSA_BITS} bits`);
  if (publicExponent > MAX_RSA_EXPONENT) throw new BuiltinError('public exponent of the RSA key is too large');
  return key;
}

/** Units of work for one signature or check on a curve. OpenSSL has fast code for P-256 and Ed25519 only. */
const CURVE_STEPS: Readonly<Record<string, number>> = { prime256v1: 5_000, ed25519: 5_000 };
const OTHER_CURVE_STEPS = 60_000;

/** Counts the work of one signature or check. RSA raises to a large power to sign and to a small one to check. */
export function spendSignature(run: Run, key: KeyObject, signing: boolean): void {
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {};
  const curve = namedCurve ?? key.asymmetricKeyType ?? '';
  const size = (modulusLength ?? 0) / 256;
  const rsa = Math.ceil(signing ? 64 * size ** 3 : 32 * size ** 2);
  run.budget.spend(modulusLength === undefined ? (CURVE_STEPS[curve] ?? OTHER_CURVE_STEPS) : rsa);
}

/** Reads the keys that may have signed a token: a certificate or public key as PEM, a JSON Web Key, or a set of them. */
export function tokenKeys(text: string, run: Run): readonly TokenKey[] {
  return remembered(run, 'token-keys', text, () =>
    text.includes('-----BEGIN') ? [pemKey(text)] : jsonKeys(text, run),
  );
}

const ONE_BLOCK = /^.*?-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----\r?\n?(.*)$/s;

function pemKey(text: string): TokenKey {
  const [, label, rest] = ONE_BLOCK.exec(text) ?? [];
  if (rest !== undefined && rest !== '') throw new BuiltinError('extra data after a PEM certificate block');
  if (label === 'CERTIFICATE') {
    const key = cryptographic('certificate', () => new X509Certificate(text).publicKey);
    return { id: null, algorithm: null, key: checkedKey(key) };
  }
  if (label !== 'PUBLIC KEY') throw new BuiltinError('failed to extract a key from the PEM block');
  return { id: null, algorithm: null, key: checkedKey(cryptographic('public key', () => createPublicKey(text))) };
}

function jsonKeys(text: string, run: Run): TokenKey[] {
  const parsed = jsonObject(text);
  if (parsed === null) throw new BuiltinError('failed to parse a JWK key (set)');
  const list = parsed.get('keys');
  const keys = isArray(list) ? list : [parsed];
  run.budget.spend(KEY_STEPS * keys.length);
  return keys.flatMap((one) => {
    if (!(one instanceof RegoObject)) throw new BuiltinError('failed to parse a JWK key (set)');
    // Symmetric and private keys verify nothing.
    if (one.get('kty') === 'oct' || one.has('d')) return [];
    const member = (name: string) => {
      const value = one.get(name);
      return typeof value === 'string' && value !== '' ? value : null;
    };
    // Node checks the members of the key, and its error becomes one of the program.
    const key = cryptographic('JWK', () => createPublicKey({ key: toPlain(one) as JsonWebKey, format: 'jwk' }));
    return { id: member('kid'), algorithm: member('alg'), key: checkedKey(key) };
  });
}

/** Reads the private key of a JSON Web Key. A symmetric key is its bytes. */
export function signingKey(key: RegoObject, run: Run): KeyObject | Buffer {
  if (key.get('kty') !== 'oct') {
    spendPrivateKey(run, String(key.get('n') ?? '').length / 342);
    // Node checks the members of the key, and its error becomes one of the program.
    return checkedKey(cryptographic('JWK', () => createPrivateKey({ key: toPlain(key) as JsonWebKey, format: 'jwk' })));
  }
  const secret = key.get('k');
  if (typeof secret !== 'string' || !/^[\w+/-]+$/.test(secret)) throw new BuiltinError('JWK is not valid');
  return Buffer.from(secret, 'base64url');
}

/** Parses text as a JSON object. Returns null for any other text. */
export function jsonObject(text: string): RegoObject | null {
  const parsed = json(text);
  return parsed instanceof RegoObject ? parsed : null;
}

/** Parses text as JSON. Returns undefined for any other text. */
export function json(text: string): Value | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
