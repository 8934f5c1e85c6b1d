import { hash } from 'node:crypto';
import { verificationFrom } from '#shared/evidence/rules/bundles/signed-verification.ts';
import { PredicateUnreadable } from '#shared/evidence/rules/predicates/fields.ts';
import { kindOf } from '#shared/evidence/rules/predicates/kind-of.ts';
import { readProvenance } from '#shared/evidence/rules/predicates/provenance.ts';
import type { Verification } from '#shared/evidence/rules/verification.ts';
import { readBundle } from '#shared/signatures/bundles.ts';
import { publicRoot } from '#shared/signatures/public-root.ts';
import type { Statement } from '#shared/signatures/statement.ts';
import type { TrustRoot } from '#shared/signatures/trust-root.ts';
import { signedFile, verifyBundle } from '#shared/signatures/verify-bundle.ts';
import { PUBLIC_ROOT, type SignerRecord, type TrustRootRecord } from '#shared/signers/rules/records.ts';
import { checked, trustOf, usedRoot } from '#shared/signers/rules/trust.ts';

/** Verifies one bundle of an export. This file loads the libraries that verify. */

/** Returns the public root with a digest: the one of this verifier, or one that the caller trusts. @param given by the caller */
export const publicRootOf = (digest: string, given: readonly TrustRoot[]): TrustRoot | undefined =>
  [publicRoot(), ...given].find((one) => one.digest === digest);

/**
 * Verifies a bundle as a signature of one version of a signer, with one version of its trust root.
 *
 * @param root undefined for the public one
 * @param publicRoot the public root that the record names; needed without `root`
 * @param bytes the file that the signature is over, if the bundle has no statement
 * @returns what a record has to say of it, and the SHA-256 of its subjects; or the sentence of the refusal
 */
export function verifyAgain(
  text: string,
  {
    signer,
    root,
    publicRoot: given,
  }: { signer: SignerRecord; root: TrustRootRecord | undefined; publicRoot: TrustRoot | undefined },
  bytes: Buffer | undefined,
): { refusal: string } | { found: Verification; artifacts: string[] } {
  if (signer.root !== (root?.name ?? PUBLIC_ROOT)) {
    return { refusal: `The signer '${signer.name}' has the trust root '${signer.root}'` };
  }
  const present = (): TrustRoot => {
    if (!given) throw new Error('A bundle of the public root comes with that root');
    return given;
  };
  const file = bytes && { sha256: hash('sha256', bytes), bytes };
  const found = checked(() => {
    const signed = readBundle(text);
    return { verified: verifyBundle(signed, trustOf(signer, root, present), signedFile(signed, file)) };
  });
  if ('error' in found) return { refusal: found.error };
  const { verified } = found;
  const by = { name: signer.name, version: signer.version };
  const { statement } = verified;
  return {
    found: {
      ...verificationFrom({ verified, signer: by, root: usedRoot(root, present) }),
      bundle_digest: hash('sha256', text),
      statement: statement ? readBySlots(statement) : null,
    },
    artifacts: verified.file
      ? [verified.file]
      : (statement?.subjects ?? []).flatMap(({ digest }) =>
          Object.hasOwn(digest, 'sha256') ? [digest['sha256'] ?? ''] : [],
        ),
  };
}

/** The only summary that has members which slots keep for policies. */
function readBySlots({ predicateType, predicate }: Statement): Record<string, unknown> {
  if (kindOf(predicateType) !== 'provenance') return {};
  try {
    return readProvenance(predicate, predicateType);
  } catch (error) {
    if (!(error instanceof PredicateUnreadable)) throw error;
    return {};
  }
}
