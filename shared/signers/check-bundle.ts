import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { bundleTexts, readBundle } from '#shared/signatures/bundles.ts';
import { presentPublicRoot } from '#shared/signatures/public-root.ts';
import { type Artifact, type VerifiedBundle, verifyBundle } from '#shared/signatures/verify-bundle.ts';
import { readPublicRoot } from './read-public-root.ts';
import { getVersioned, READ_SIGNERS } from './read-signers.ts';
import { readVersioned, TRUST_ROOTS } from './records/versioned.ts';
import { PUBLIC_ROOT, type SignerRecord, type TrustRootRecord } from './rules/records.ts';
import { checked, trustOf } from './rules/trust.ts';

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
  stores: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  { name, file, artifact }: { name: string; file: string; artifact: Artifact | undefined },
): Promise<BundleCheck> {
  const signer = await getVersioned(READ_SIGNERS, stores, org, name);
  const isPublic = signer.root === PUBLIC_ROOT;
  const root = isPublic ? undefined : await readVersioned(TRUST_ROOTS, stores.table, org.id, signer.root);
  const refreshed = isPublic ? await readPublicRoot(stores) : undefined;
  const trust = checked(() => ({ trust: trustOf(signer, root, () => presentPublicRoot(refreshed)) }));
  const check = (text: string): CheckedBundle =>
    'error' in trust ? trust : checked(() => ({ verified: verifyBundle(readBundle(text), trust.trust, artifact) }));
  const texts = checked(() => ({ texts: bundleTexts(file) }));
  return { signer, root: root ?? null, bundles: 'texts' in texts ? texts.texts.map(check) : [texts] };
}
