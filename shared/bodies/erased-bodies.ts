import type { StoredBody } from './bodies.ts';
import type { Erasure, ErasurePlan } from './erasure.ts';

/** What is kept of an erased body: nothing of the text, its salt or its digest (rules/erasure.md#what-is-removed). */
export const erasedBody = (erased: Erasure): StoredBody => ({
  alg: 'sha256',
  digest: new Uint8Array(),
  salt: new Uint8Array(),
  size: 0,
  store: 'erased',
  enc: 'none',
  erased,
});

/** Returns the objects of erased bodies that lie in the bucket. */
export const erasedObjects = (bodies: readonly (StoredBody | null)[], user: string): ErasurePlan['objects'] =>
  bodies.flatMap((body) =>
    body?.store === 's3' ? [{ prefix: 'bodies', sha256: Buffer.from(body.digest).toString('hex'), user }] : [],
  );
