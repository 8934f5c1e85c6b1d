import type { Bundle, MessageSignature } from '@sigstore/bundle';
import { crypto, dsse } from '@sigstore/core';
import { HashAlgorithm } from '@sigstore/protobuf-specs';
import { type SignedEntity, type TrustMaterial, toSignedEntity, Verifier } from '@sigstore/verify';
import type { Signed } from './bundles.ts';
import { SignatureError, withLibrary } from './errors.ts';
import type { TrustedKey } from './public-key.ts';
import { type CertificateSigner, type KeySigner, signerOf } from './signer.ts';
import { readStatement, requireSubject, type Statement } from './statement.ts';
import type { RootPart, TrustRoot } from './trust-root.ts';

/** Name and version of the library that verifies signatures, certificates and proofs of logs. */
export const LIBRARY = '@sigstore/verify 4.1.3';

/**
 * Whom a signature has to be from: a key, or a certificate of a trust root whose signer is accepted. With a key and a trust root, a log of
 * the root has to prove the signature too.
 */
export type Trust =
  | { readonly key: TrustedKey; readonly root?: TrustRoot }
  | {
      readonly root: TrustRoot;
      /** @returns why the signer is not accepted, as a sentence */
      readonly refusal: (signer: CertificateSigner) => string | undefined;
    };

/** What the signature has to be about. */
export interface Artifact {
  /** 64 hexadecimal digits. */
  readonly sha256: string;
  /** A bundle that signs a file itself cannot be verified without its bytes. */
  readonly bytes?: Buffer;
}

interface ProvedTime {
  /** Since the epoch. */
  readonly seconds: number;
  readonly from: 'log' | 'timestamp authority';
}

/** A signature that was verified. */
export interface VerifiedBundle {
  /** `logged` if a log or a timestamp authority of the root proves when it was made. */
  readonly grade: 'signed' | 'logged';
  readonly signer: CertificateSigner | KeySigner;
  readonly logs: readonly { readonly id: string; readonly index: string }[];
  readonly times: readonly ProvedTime[];
  /** Undefined if the signature is over a file itself. */
  readonly statement: Statement | undefined;
  /** SHA-256 of the file that the signature is over; undefined if it is over a statement. */
  readonly file: string | undefined;
}

/**
 * Verifies a bundle or an envelope (rules/verified-evidence.md#verification). Reads neither a network nor the clock: what counts is when
 * the signature was made, and a root proves that.
 *
 * @param artifact what the signature has to be about. Left out, the statement is about whatever it names
 * @throws SignatureError with the sentence of what failed
 */
export function verifyBundle(signed: Signed, trust: Trust, artifact?: Artifact): VerifiedBundle {
  const { content, verificationMaterial } = signed.bundle;
  const isKey = verificationMaterial.content.$case === 'publicKey';
  if ('key' in trust && !isKey) {
    throw new SignatureError('The bundle has a certificate, and a signature by the given public key is asked for');
  }
  if (!('key' in trust) && isKey) {
    throw new SignatureError(
      'The signature is by a public key and has no certificate. It can be verified with that key only',
    );
  }
  const statement = content.$case === 'dsseEnvelope' ? readStatement(content.dsseEnvelope) : undefined;
  if (statement && artifact) requireSubject(statement, artifact.sha256);
  const file = content.$case === 'messageSignature' ? fileOf(content.messageSignature, artifact) : undefined;
  if ('key' in trust) return verifyWithKey(signed.bundle, trust, { statement, file, artifact });
  const verified = anyPart(trust.root, ({ material, thresholds }) => {
    const entity = entityOf(signed.bundle, artifact);
    const found = withLibrary('The bundle', () => new Verifier(material, thresholds).verify(entity));
    return { ...provedBy(entity, material), signer: signerOf(certificateOf(signed.bundle), found), statement, file };
  });
  const refused = trust.refusal(verified.signer);
  if (refused !== undefined) throw new SignatureError(refused);
  return verified;
}

interface About extends Pick<VerifiedBundle, 'statement' | 'file'> {
  readonly artifact: Artifact | undefined;
}

function verifyWithKey(
  bundle: Bundle,
  { key, root }: Extract<Trust, { key: TrustedKey }>,
  about: About,
): VerifiedBundle {
  const publicKey = () => ({ publicKey: key.key, validFor: () => true });
  const entity = entityOf(bundle, about.artifact);
  const verify = (entity: SignedEntity, material: TrustMaterial, options: RootPart['thresholds']): VerifiedBundle => {
    withLibrary('The bundle', () => new Verifier({ ...material, publicKey }, options).verify(entity));
    const { statement, file } = about;
    return { ...provedBy(entity, material), signer: { kind: 'key', digest: key.digest }, statement, file };
  };
  if (root) return anyPart(root, ({ material, thresholds }) => verify(entity, material, thresholds));
  // Without a root nothing can prove the entries and times that the bundle brings, so they say nothing.
  const nothing = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
  const options = { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 };
  return verify({ ...entity, tlogEntries: [], timestamps: [] }, { ...nothing, publicKey }, options);
}

/** Tries the instances of a root one after another. @throws SignatureError with each sentence, if none verifies */
function anyPart<T>({ parts }: TrustRoot, verify: (part: RootPart) => T): T {
  const refusals: SignatureError[] = [];
  for (const part of parts) {
    try {
      return verify(part);
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error;
      refusals.push(error);
    }
  }
  throw new SignatureError([...new Set(refusals.map(({ message }) => message))].join('; '), refusals[0]);
}

/**
 * Returns the SHA-256 of the file that a bundle without a statement says it signs. Nothing is verified yet.
 * @throws SignatureError if the bundle names the file by another algorithm
 */
export function signedDigest({ messageDigest: { algorithm, digest } }: MessageSignature): string {
  if (algorithm !== HashAlgorithm.SHA2_256 || digest.length !== 32) {
    throw new SignatureError(
      `The bundle names the file that it signs by ${HashAlgorithm[algorithm] ?? algorithm}. It should name its SHA-256`,
    );
  }
  return digest.toString('hex');
}

/**
 * Returns the file to verify a bundle with. A bundle with a statement is about the subjects of the statement, whatever file comes with it.
 * @throws SignatureError as {@link signedDigest}
 */
export function signedFile({ bundle: { content } }: Signed, file: Artifact | undefined): Artifact | undefined {
  if (content.$case !== 'messageSignature') return undefined;
  signedDigest(content.messageSignature);
  return file;
}

/** @returns the SHA-256 of the file. @throws SignatureError if there is no file, or if it is not the one that the bundle names */
function fileOf({ messageDigest: { digest } }: MessageSignature, artifact: Artifact | undefined): string {
  if (artifact?.bytes === undefined) {
    throw new SignatureError(
      'The bundle signs a file itself, not a statement about its digest. It can be verified only with the file',
    );
  }
  const expected = digest.length === 32 ? 'sha256' : digest.length === 48 ? 'sha384' : 'sha512';
  if (!digest.equals(crypto.digest(expected, artifact.bytes))) {
    throw new SignatureError('The digest in the bundle is not the digest of the file');
  }
  return artifact.sha256;
}

function entityOf(bundle: Bundle, artifact: Artifact | undefined): SignedEntity {
  const entity = withLibrary('The bundle', () => toSignedEntity(bundle, artifact?.bytes));
  if (bundle.content.$case !== 'dsseEnvelope') return entity;
  const { payloadType, payload } = bundle.content.dsseEnvelope;
  const { signature } = entity;
  // The library verifies every envelope with SHA-256. Signers with a key on P-384 use SHA-384.
  const verifySignature = (key: crypto.KeyObject) =>
    signature.verifySignature(key) ||
    (key.asymmetricKeyDetails?.namedCurve === 'secp384r1' &&
      crypto.verify(dsse.preAuthEncoding(payloadType, payload), key, signature.signature, 'sha384'));
  return {
    ...entity,
    signature: {
      signature: signature.signature,
      compareSignature: (other) => signature.compareSignature(other),
      compareDigest: (digest) => signature.compareDigest(digest),
      compareSignedDigest: (digest) => signature.compareSignedDigest(digest),
      verifySignature,
    },
  };
}

function certificateOf({ verificationMaterial: { content } }: Bundle): Buffer {
  if (content.$case === 'certificate') return content.certificate.rawBytes;
  const [first] = content.$case === 'x509CertificateChain' ? content.x509CertificateChain.certificates : [];
  return first?.rawBytes ?? Buffer.of();
}

/**
 * What the verified entries and timestamps prove. An entry without a promise of its log proves no time.
 * @throws SignatureError if the key of a log was not valid at a proved time: the library asks for that only where the log promised one
 */
function provedBy(
  { tlogEntries, timestamps }: SignedEntity,
  { tlogs }: Pick<TrustMaterial, 'tlogs'>,
): Pick<VerifiedBundle, 'grade' | 'logs' | 'times'> {
  const times = timestamps.flatMap((one): ProvedTime[] => {
    if (one.$case === 'timestamp-authority') {
      return [{ seconds: one.timestamp.signingTime.getTime() / 1000, from: 'timestamp authority' }];
    }
    const { inclusionPromise, integratedTime } = one.tlogEntry;
    return inclusionPromise ? [{ seconds: Number(integratedTime), from: 'log' }] : [];
  });
  const logs = tlogEntries.map(({ logId: { keyId }, logIndex, inclusionPromise, inclusionProof }) => {
    const id = keyId.toString('hex');
    // A promise covers the index beside it. Otherwise only the index in the proof was verified.
    if (inclusionPromise) return { id, index: logIndex };
    const keys = tlogs.filter(({ logID }) => logID.equals(keyId));
    if (!keys.some((key) => times.every((time) => wasValid(key, time)))) {
      throw new SignatureError(`The key of the log ${id.slice(0, 16)} was not valid when the signature was made`);
    }
    return { id, index: inclusionProof?.logIndex ?? logIndex };
  });
  return { grade: times.length > 0 ? 'logged' : 'signed', logs, times };
}

function wasValid({ validFor: { start, end } }: TrustMaterial['tlogs'][number], { seconds }: ProvedTime): boolean {
  return start.getTime() <= seconds * 1000 && seconds * 1000 <= end.getTime();
}
