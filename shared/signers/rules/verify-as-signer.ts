import type { Signed } from '#shared/signatures/bundles.ts';
import { SignatureError } from '#shared/signatures/errors.ts';
import { presentPublicRoot, type RefreshedRoot } from '#shared/signatures/public-root.ts';
import type { CertificateSigner } from '#shared/signatures/signer.ts';
import { type Artifact, type VerifiedBundle, verifyBundle } from '#shared/signatures/verify-bundle.ts';
import { identityRefusal } from './identity.ts';
import type { SignerRecord, TrustRootRecord } from './records.ts';
import { checked, trustOf, type UsedRoot, usedRoot } from './trust.ts';

/** Whose signatures count in an organization. */
export interface TrustData {
  /** By name. */
  signers: readonly SignerRecord[];
  /** The stored trust roots that they name. */
  roots: readonly TrustRootRecord[];
  /** The public root of the last refresh; absent if there is none, or if no signer names the public root. */
  publicRoot?: RefreshedRoot | undefined;
}

/** A verified signature, with the versions that verified it. */
export interface SignedBySigner {
  verified: VerifiedBundle;
  signer: { name: string; version: number };
  root: UsedRoot;
}

/** A refusal of more signers says no more than that of the first ones. */
const MOST_SENTENCES = 3;

/**
 * Verifies a bundle as a signature of one of the signers of an organization (rules/verified-evidence.md#signer-of-a-bundle). A bundle is
 * verified once with each trust root that fits its form, and then compared with the signers of that root, by name. The first one that
 * matches is its signer.
 *
 * @param file what a bundle without a statement has to sign
 * @throws SignatureError if it is none of theirs, with the sentence of each trust root
 */
export function verifyAsSigner(
  signed: Signed,
  { signers, roots, publicRoot }: TrustData,
  file?: Artifact,
): SignedBySigner {
  const isKey = signed.bundle.verificationMaterial.content.$case === 'publicKey';
  const fitting = [...Map.groupBy(signers, ({ root }) => root)].flatMap(([name, all]) => {
    const root = roots.find((one) => one.name === name);
    const active = all.filter(({ deleted }) => !deleted);
    // Deleted signers have a sentence of their own where nobody else is asked for.
    const asked = active.length > 0 || all.length < signers.length ? active : all;
    return asked.length > 0 && (root?.kind === 'public-key') === isKey ? [{ root, signers: asked }] : [];
  });
  if (fitting.length === 0) throw new SignatureError(nobody(signers, isKey));
  const errors: string[] = [];
  for (const one of fitting) {
    const found = checked(() => verifyWithRoot(signed, { ...one, publicRoot }, file));
    if (!('error' in found)) return found;
    errors.push(found.error);
  }
  throw new SignatureError([...new Set(errors)].join('; '));
}

function nobody(signers: readonly SignerRecord[], isKey: boolean): string {
  if (signers.every(({ deleted }) => deleted)) return 'The organization has no signer, so no signature can be verified';
  return isKey
    ? 'The signature is by a public key, and no signer of the organization is a public key'
    : 'The bundle has a certificate, and all signers of the organization are public keys';
}

/** @param root undefined for the public one, and if the root does not exist any more */
function verifyWithRoot(
  signed: Signed,
  { root, signers, publicRoot }: { root: TrustRootRecord | undefined } & Pick<TrustData, 'signers' | 'publicRoot'>,
  file: Artifact | undefined,
): SignedBySigner {
  const present = () => presentPublicRoot(publicRoot);
  const [first] = signers;
  if (!first) throw new Error('A trust root without signers was asked');
  const trust = trustOf(first, root, present);
  let signer = first;
  const refusal = (found: CertificateSigner): string | undefined => {
    const match = signers.find((one) => identityRefusal(one, found) === undefined);
    signer = match ?? first;
    return match ? undefined : otherSigner(signers, found);
  };
  const verified = verifyBundle(signed, 'key' in trust ? trust : { root: trust.root, refusal }, file);
  return { verified, signer: { name: signer.name, version: signer.version }, root: usedRoot(root, present) };
}

/** Why the certificate is of none of the signers. */
function otherSigner(signers: readonly SignerRecord[], found: CertificateSigner): string {
  const sentences = signers.map((signer) => identityRefusal(signer, found) ?? '');
  const more = sentences.length > MOST_SENTENCES ? `; and ${sentences.length - MOST_SENTENCES} more signers` : '';
  return `${sentences.slice(0, MOST_SENTENCES).join('; ')}${more}`;
}
