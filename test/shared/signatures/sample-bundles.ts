import { hash, type KeyObject, sign } from 'node:crypto';
import { dsse } from '@sigstore/core';
import { type Identity, newKey, type OwnRoot, SIGNED_AT, spkiOf } from './own-root.ts';

/** Bundles and envelopes that an own root or a key signs. */

export const ARTIFACT = Buffer.from('the release of an application');
export const SHA256 = hash('sha256', ARTIFACT);
export const ISSUER = 'https://token.actions.githubusercontent.com';
export const SUBJECT = 'https://github.com/acme/web/.github/workflows/release.yml@refs/heads/main';
export const STATEMENT_TYPE = 'application/vnd.in-toto+json';
const V3 = 'application/vnd.dev.sigstore.bundle.v0.3+json';

export const IDENTITY: Identity = {
  issuer: ISSUER,
  san: { uri: SUBJECT },
  claims: { 11: 'github-hosted', 12: 'https://github.com/acme/web', 15: '74', 20: 'push' },
  from: SIGNED_AT - 60,
  isLogged: true,
};

export const statement = (changed: Readonly<Record<string, unknown>> = {}) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'web.tar', digest: { sha256: SHA256 } }],
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: { buildDefinition: { buildType: 'https://ci.example/build' } },
  ...changed,
});

export interface BundleOptions {
  /** The payload as text; else a statement about {@link ARTIFACT}. */
  payload?: string;
  payloadType?: string;
  identity?: Partial<Identity>;
  mediaType?: string;
  hasPromise?: boolean;
  hasProof?: boolean;
  hasTimestamp?: boolean;
  /** When log and timestamp authority say that it was signed, in seconds. */
  seconds?: number;
  /** Signs with this key, and brings no certificate. */
  key?: KeyObject;
}

/** Signs an envelope with a key. The algorithm of the digest is that of the key, unless one is given. */
export function envelope(
  key: KeyObject,
  {
    payload = JSON.stringify(statement()),
    payloadType = STATEMENT_TYPE,
    digest,
  }: {
    payload?: string;
    payloadType?: string;
    digest?: string;
  } = {},
) {
  const bytes = Buffer.from(payload);
  const algorithm = digest ?? (key.asymmetricKeyType === 'ed25519' ? undefined : 'sha256');
  const sig = sign(algorithm, dsse.preAuthEncoding(payloadType, bytes), key).toString('base64');
  return { payload: bytes.toString('base64'), payloadType, signatures: [{ sig, keyid: '' }] };
}

/** Makes a bundle with a statement, as JSON. */
export function bundle(root: OwnRoot, options: BundleOptions = {}) {
  const { identity, hasPromise = true, hasProof = true, hasTimestamp = false, seconds = SIGNED_AT } = options;
  const { privateKey } = newKey();
  const signingKey = options.key ?? privateKey;
  const signed = envelope(signingKey, options);
  const certificate = root.certificate(signingKey, { ...IDENTITY, ...identity }).toString('base64');
  const [{ sig } = { sig: '' }] = signed.signatures;
  const verifier = options.key
    ? spkiOf(signingKey).toString('base64')
    : Buffer.from(`-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`).toString('base64');
  const body = {
    apiVersion: '0.0.1',
    kind: 'dsse',
    spec: {
      envelopeHash: { algorithm: 'sha256', value: hash('sha256', JSON.stringify(signed)) },
      payloadHash: { algorithm: 'sha256', value: hash('sha256', Buffer.from(signed.payload, 'base64')) },
      signatures: [{ signature: sig, verifier }],
    },
  };
  const entry = root.logEntry('dsse', body, { hasPromise, hasProof, seconds });
  return {
    mediaType: options.mediaType ?? V3,
    verificationMaterial: {
      ...materialOf(options, certificate),
      tlogEntries: hasPromise || hasProof ? [entry] : [],
      ...(hasTimestamp && { timestampVerificationData: timestamps(root, sig, seconds) }),
    },
    dsseEnvelope: signed,
  };
}

const materialOf = ({ key, mediaType = V3 }: BundleOptions, certificate: string) => {
  if (key) return { publicKey: { hint: 'release' } };
  const rawBytes = certificate;
  return mediaType === V3 ? { certificate: { rawBytes } } : { x509CertificateChain: { certificates: [{ rawBytes }] } };
};

const timestamps = (root: OwnRoot, signature: string, seconds: number) => ({
  rfc3161Timestamps: [
    { signedTimestamp: root.timestamp(Buffer.from(signature, 'base64'), seconds).toString('base64') },
  ],
});

/** Makes a bundle that signs the bytes of a file, as JSON. */
export function fileBundle(root: OwnRoot, file = ARTIFACT) {
  const { privateKey } = newKey();
  const signature = sign('sha256', file, privateKey).toString('base64');
  const certificate = root.certificate(privateKey, IDENTITY).toString('base64');
  const body = {
    apiVersion: '0.0.1',
    kind: 'hashedrekord',
    spec: {
      data: { hash: { algorithm: 'sha256', value: hash('sha256', file) } },
      signature: { content: signature, publicKey: { content: certificate } },
    },
  };
  return {
    mediaType: V3,
    verificationMaterial: {
      certificate: { rawBytes: certificate },
      tlogEntries: [root.logEntry('hashedrekord', body, { hasPromise: true, hasProof: true, seconds: SIGNED_AT })],
    },
    messageSignature: { messageDigest: { algorithm: 'SHA2_256', digest: hash('sha256', file, 'base64') }, signature },
  };
}
