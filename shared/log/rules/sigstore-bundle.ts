import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { keyDigest, type VerifierKey } from '#shared/tlog/keys.ts';
import { envelopeOf, keyIdOf, type SignedPayload } from './dsse.ts';

/** Entries of statements in the log, and bundles that prove them (rules/log.md#bundles-of-statements). */

const KIND = { kind: 'hashedrekord', version: '0.0.2' } as const;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

interface StatementFacts extends Omit<SignedPayload, 'payload'> {
  /** SHA-256 of the bytes that were signed. */
  digest: Uint8Array;
}

/**
 * Returns the entry of a statement: the record of a signature over a digest, as logs of sigstore have it. Verifiers build
 * the same bytes from the bundle.
 */
export const statementEntry = ({ digest, signature, publicKey }: StatementFacts): Buffer =>
  Buffer.from(
    canonicalJson({
      apiVersion: KIND.version,
      kind: KIND.kind,
      spec: {
        hashedRekordV002: {
          data: { algorithm: 'SHA2_256', digest: base64(digest) },
          signature: {
            content: base64(signature),
            verifier: { keyDetails: 'PKIX_ECDSA_P256_SHA_256', publicKey: { rawBytes: base64(publicKey) } },
          },
        },
      },
    }),
  );

interface Inclusion {
  log: VerifierKey;
  index: number;
  size: number;
  root: Uint8Array;
  /** From the leaf to the root. */
  hashes: readonly Uint8Array[];
  checkpoint: string;
}

/** Returns a sigstore bundle, version 0.3. Numbers of 64 bits are texts in it. */
export function bundleOf(
  signed: SignedPayload,
  entry: Uint8Array,
  { log, index, size, root, hashes, checkpoint }: Inclusion,
) {
  const logIndex = String(index);
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: {
      publicKey: { hint: keyIdOf(signed.publicKey) },
      tlogEntries: [
        {
          logIndex,
          logId: { keyId: base64(keyDigest(log)) },
          kindVersion: KIND,
          // The log signs no time of its own. Checkpoints without it are what verifiers check.
          integratedTime: '0',
          inclusionProof: {
            logIndex,
            rootHash: base64(root),
            treeSize: String(size),
            hashes: hashes.map(base64),
            checkpoint: { envelope: checkpoint },
          },
          canonicalizedBody: base64(entry),
        },
      ],
    },
    dsseEnvelope: envelopeOf(signed),
  };
}

export type SigstoreBundle = ReturnType<typeof bundleOf>;
