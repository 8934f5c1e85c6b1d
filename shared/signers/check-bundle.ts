import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { bundleTexts, readBundle } from '#shared/signatures/bundles.ts';
import { SignatureError } from '#shared/signatures/errors.ts';
import { readPublicKey } from '#shared/signatures/public-key.ts';
import { publicRoot } from '#shared/signatures/public-root.ts';
import { readTrustRoot } from '#shared/signatures/trust-root.ts';
import { type Artifact, type Trust, type VerifiedBundle, verifyBundle } from '#shared/signatures/verify-bundle.ts';
import { getVersioned, READ_SIGNERS } from './read-signers.ts';
import { readVersioned, TRUST_ROOTS } from './records/versioned.ts';
import { identityRefusal } from './rules/identity.ts';
import { PUBLIC_ROOT, type SignerRecord, type TrustRootRecord } from './rules/records.ts';

/** What was found about one bundle: it is verified, or the sentence says why not. */
export type CheckedBundle = { verified: VerifiedBundle } | { error: string };

/** Whose signature was looked for, and what was found. */
interface BundleCheck {
  signer: SignerRecord;
  /** Null for the public root. */
  root: TrustRootRecord | null;
  bundles: CheckedBundle[];
}

/**
 * Verifies bundles as signatures of a signer, and stores nothing (rules/verified-evidence.md#check). A signer that is deleted, or
 * whose trust root is, verifies nothing.
 *
 * @param file one bundle, or several as JSON lines
 * @param artifact what they have to be about; undefined = whatever they name
 * @throws ServiceError `not-found` if no signer has the name
 */
export async function checkBundle(
  stores: Pick<Stores, 'table'>,
  org: Organization,
  { name, file, artifact }: { name: string; file: string; artifact: Artifact | undefined },
): Promise<BundleCheck> {
  const signer = await getVersioned(READ_SIGNERS, stores, org, name);
  const isPublic = signer.root === PUBLIC_ROOT;
  const root = isPublic ? undefined : await readVersioned(TRUST_ROOTS, stores.table, org.id, signer.root);
  const trust = trustOf(signer, isPublic ? 'public' : root);
  const check = (text: string): CheckedBundle =>
    checked(() => {
      if (typeof trust === 'string') throw new SignatureError(trust);
      return { verified: verifyBundle(readBundle(text), trust, artifact) };
    });
  const texts = checked(() => ({ texts: bundleTexts(file) }));
  return { signer, root: root ?? null, bundles: 'texts' in texts ? texts.texts.map(check) : [texts] };
}

/** @returns why the signer verifies nothing, as a sentence */
function trustOf(signer: SignerRecord, root: TrustRootRecord | 'public' | undefined): Trust | string {
  if (signer.deleted) return `The signer '${signer.name}' is deleted`;
  if (root === undefined || (root !== 'public' && root.deleted)) return `The trust root '${signer.root}' is deleted`;
  if (root !== 'public' && root.kind === 'public-key') return { key: readPublicKey(root.text) };
  return {
    root: root === 'public' ? publicRoot() : readTrustRoot(root.text),
    refusal: (found) => identityRefusal(signer, found),
  };
}

function checked<T>(step: () => T): T | { error: string } {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    return { error: error.message };
  }
}
