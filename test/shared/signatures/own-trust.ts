import { createPublicKey, type KeyObject } from 'node:crypto';
import { readBundle } from '#shared/signatures/bundles.ts';
import { readPublicKey, type TrustedKey } from '#shared/signatures/public-key.ts';
import type { CertificateSigner } from '#shared/signatures/signer.ts';
import { readTrustRoot, type TrustRoot } from '#shared/signatures/trust-root.ts';
import { type Artifact, type Trust, type VerifiedBundle, verifyBundle } from '#shared/signatures/verify-bundle.ts';
import { OwnRoot } from './own-root.ts';
import { ISSUER, SHA256, SUBJECT } from './sample-bundles.ts';

/** Whom the tests of bundles trust: an instance of Sigstore of our own, and one signer. */

export const own = new OwnRoot();
export const other = new OwnRoot();

export const rootOf = (...roots: OwnRoot[]): TrustRoot =>
  readTrustRoot(roots.map((one) => JSON.stringify(one.json())).join('\n'));

export const root = rootOf(own);
export const refusal = ({ issuer, subject }: CertificateSigner): string | undefined =>
  issuer === ISSUER && subject === SUBJECT ? undefined : `The signer is ${subject} of ${issuer}`;
export const trust: Trust = { root, refusal };
const artifact: Artifact = { sha256: SHA256 };

/** Verifies a bundle that is given as JSON or as text. */
export const verify = (json: unknown, by: Trust = trust, of: Artifact | undefined = artifact): VerifiedBundle =>
  verifyBundle(readBundle(typeof json === 'string' ? json : JSON.stringify(json)), by, of);

export const publicPem = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
export const trustedKey = (key: KeyObject): TrustedKey => readPublicKey(publicPem(key));
