import { SignatureError } from '#shared/signatures/errors.ts';
import { readPublicKey } from '#shared/signatures/public-key.ts';
import { readTrustRoot, type TrustRoot } from '#shared/signatures/trust-root.ts';
import type { Trust } from '#shared/signatures/verify-bundle.ts';
import { identityRefusal } from './identity.ts';
import { PUBLIC_ROOT, type SignerRecord, type TrustRootRecord } from './records.ts';

/**
 * Returns what signatures of a signer are verified with (rules/verified-evidence.md#signers).
 *
 * @param root the trust root that the signer names; undefined if there is none, and for the public one
 * @param publicRoot returns the public root that verifies; called only if the signer names it
 * @throws SignatureError that says why the signer verifies nothing
 */
export function trustOf(signer: SignerRecord, root: TrustRootRecord | undefined, publicRoot: () => TrustRoot): Trust {
  if (signer.deleted) throw new SignatureError(`The signer '${signer.name}' is deleted`);
  const isPublic = signer.root === PUBLIC_ROOT;
  if (!isPublic && (root === undefined || root.deleted)) {
    throw new SignatureError(`The trust root '${signer.root}' is deleted`);
  }
  if (root?.kind === 'public-key') return { key: readPublicKey(root.text) };
  return {
    root: root === undefined ? publicRoot() : readTrustRoot(root.text),
    refusal: (found) => identityRefusal(signer, found),
  };
}

/** What a record says of the trust root that a signature was verified with. The public root has no version. */
export interface UsedRoot {
  name: string;
  version: number | null;
  digest: string;
}

/** Names a trust root in records. @param root undefined for the public one @param publicRoot as for {@link trustOf} */
export const usedRoot = (root: TrustRootRecord | undefined, publicRoot: () => TrustRoot): UsedRoot =>
  root
    ? { name: root.name, version: root.version, digest: root.digest }
    : { name: PUBLIC_ROOT, version: null, digest: publicRoot().digest };

/** Runs a step that may refuse a signature. @returns its result, or the sentence of the refusal */
export function checked<T>(step: () => T): T | { error: string } {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    return { error: error.message };
  }
}
