import { createECDH, createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import type { KeySet } from '#infra/local/keys/key-files.ts';
import { privateKeyOf } from '#shared/tlog/ed25519.ts';

/**
 * The keys that sign in golden tables. They are computed from public words: a later run needs the same keys to give the
 * same answers, and the repository holds no private key. No stage has them.
 */
export const GOLDEN_KEYS: KeySet = {
  log: createEd25519('log'),
  witness: createEd25519('witness'),
  statement: createP256('statement'),
};

function seedOf(name: string): Buffer {
  return createHash('sha256').update(`golden table: ${name}`).digest();
}

function createEd25519(name: string): KeyObject {
  return privateKeyOf(seedOf(name));
}

function createP256(name: string): KeyObject {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(seedOf(name));
  const point = pair.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const key = { kty: 'EC', crv: 'P-256', d: seedOf(name).toString('base64url'), x, y };
  return createPrivateKey({ key, format: 'jwk' });
}
