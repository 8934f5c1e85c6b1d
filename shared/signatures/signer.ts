import { ASN1Obj, X509Certificate } from '@sigstore/core';
import type { Signer } from '@sigstore/verify';
import { SignatureError, withLibrary } from './errors.ts';

/** Whom a certificate names (rules/verified-evidence.md#signer-of-a-certificate). */
export interface CertificateSigner {
  readonly kind: 'certificate';
  /** The service that proved the identity to the certificate authority. */
  readonly issuer: string;
  readonly subject: string;
  readonly subjectKind: 'uri' | 'email';
  /** What the issuer said of the run, by {@link CLAIM_NAMES}. */
  readonly claims: Readonly<Record<string, string>>;
}

export interface KeySigner {
  readonly kind: 'key';
  /** SHA-256 of the public key in the form SubjectPublicKeyInfo, as hexadecimal digits. */
  readonly digest: string;
}

/** The extensions of certificates that carry claims, below this identifier. The public certificate authority documents them. */
const FULCIO = '1.3.6.1.4.1.57264.1.';
/** Names of claims, in the order of their extensions. */
export const CLAIM_NAMES = [
  'build_signer_uri',
  'build_signer_digest',
  'runner_environment',
  'source_repository_uri',
  'source_repository_digest',
  'source_repository_ref',
  'source_repository_identifier',
  'source_repository_owner_uri',
  'source_repository_owner_identifier',
  'build_config_uri',
  'build_config_digest',
  'build_trigger',
  'run_invocation_uri',
  'source_repository_visibility',
] as const;
const FIRST_CLAIM = 9;

/**
 * Returns whom a verified certificate names.
 * @throws SignatureError if the certificate names neither a URI nor an address of mail, or no issuer
 */
export function signerOf(der: Buffer, { identity }: Signer): CertificateSigner {
  return withLibrary('The certificate', () => {
    const names = X509Certificate.parse(Buffer.from(der)).extSubjectAltName;
    const [uri, email] = [names?.uri, names?.rfc822Name];
    if ((uri === undefined) === (email === undefined)) {
      throw new SignatureError('The certificate should name its subject by exactly one of URI and address of mail');
    }
    const issuer = identity?.extensions?.issuer ?? '';
    if (issuer === '') throw new SignatureError('The certificate does not name the issuer of the identity');
    const values = new Map(identity?.oids?.map(({ oid, value }) => [oid?.id.join('.') ?? '', value]));
    const claims = CLAIM_NAMES.flatMap((name, i) => {
      const value = values.get(`${FULCIO}${FIRST_CLAIM + i}`);
      return value === undefined ? [] : [[name, ASN1Obj.parseBuffer(Buffer.from(value)).value.toString('utf8')]];
    });
    const subjectKind = uri === undefined ? 'email' : 'uri';
    return {
      kind: 'certificate',
      issuer,
      subject: uri ?? email ?? '',
      subjectKind,
      claims: Object.fromEntries(claims),
    };
  });
}

/**
 * Compares a signer with one identity, to the byte.
 * @returns why the signer is another one, as a sentence
 */
export function otherIdentity(
  { issuer, subject }: CertificateSigner,
  expected: { readonly issuer: string; readonly subject: string },
): string | undefined {
  if (issuer === expected.issuer && subject === expected.subject) return undefined;
  return `The certificate names '${subject}' of '${issuer}'. It should name '${expected.subject}' of '${expected.issuer}'`;
}
