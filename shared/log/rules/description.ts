import { createPublicKey } from 'node:crypto';
import { spkiOf } from '#shared/tlog/ed25519.ts';
import { formatVerifierKey, keyDigest, type VerifierKey } from '#shared/tlog/keys.ts';

/** What verifiers of a log need, in the forms that they read (rules/log.md#description-of-a-log). */

/**
 * Returns the policy file of a log (C2SP tlog-policy).
 *
 * @param address where the log is served; absent for verifiers that read no log
 * @param witnesses the lines about witnesses and their quorum, where the stage has witnesses
 */
export const policyText = (key: VerifierKey, address?: string, witnesses = 'quorum none'): string =>
  `log ${formatVerifierKey(key)}${address === undefined ? '' : ` ${address}`}\n${witnesses.trimEnd()}\n`;

/** Verifiers want a date and do not compare it with anything. The log has had its key since its first entry. */
const BEGINNING = '1970-01-01T00:00:00Z';

/**
 * Returns the trusted root with which verifiers of sigstore bundles accept proofs of this log. They compare the host name of
 * `baseUrl` with the origin of checkpoints, so it is made from the origin and need not be reachable.
 */
export function trustedRoot(key: VerifierKey) {
  const logId = { keyId: keyDigest(key).toString('base64') };
  return {
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [
      {
        baseUrl: `https://${key.name}`,
        hashAlgorithm: 'SHA2_256',
        publicKey: {
          rawBytes: spkiOf(key.publicKey).toString('base64'),
          keyDetails: 'PKIX_ED25519',
          validFor: { start: BEGINNING },
        },
        logId,
        checkpointKeyId: logId,
      },
    ],
    certificateAuthorities: [],
    ctlogs: [],
    timestampAuthorities: [],
  };
}

export type TrustedRoot = ReturnType<typeof trustedRoot>;

export const trustedRootText = (key: VerifierKey): string => `${JSON.stringify(trustedRoot(key), null, 2)}\n`;

/** Returns a public key as PEM. @param spki the key in DER */
export const pemOf = (spki: Buffer): string =>
  createPublicKey({ key: spki, format: 'der', type: 'spki' }).export({ format: 'pem', type: 'spki' }).toString();
