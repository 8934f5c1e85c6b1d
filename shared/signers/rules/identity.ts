import { hasWildcard, isBound, matchesPattern } from '#shared/organizations/rules/claim-patterns.ts';
import type { CertificateSigner } from '#shared/signatures/signer.ts';
import type { SignerRecord, TrustRootRecord } from './records.ts';

/** Whom a signer means (rules/verified-evidence.md#identity-of-a-signer). */

type Identity = Pick<SignerRecord, 'issuer' | 'subjects' | 'claims'>;

/** Claims that name a pipeline. */
const NAMING = new Set([
  'build_signer_uri',
  'build_config_uri',
  'source_repository_uri',
  'source_repository_identifier',
  'run_invocation_uri',
]);
/** Claims whose values people can choose, so that a `*` in them could match a name of a stranger. */
const EXACT = new Set([
  'source_repository_uri',
  'source_repository_identifier',
  'source_repository_owner_uri',
  'source_repository_owner_identifier',
]);
/** Scheme, the empty part after it, host, owner and repository. */
const EXACT_PARTS = 5;

/**
 * Returns what is wrong with the identity of a signer, by field; empty if nothing is.
 * @param kind that of the trust root
 */
export function identityErrors(
  { issuer, subjects, claims }: Identity,
  kind: TrustRootRecord['kind'],
): Map<string, string> {
  const errors = new Map<string, string>();
  if (kind === 'public-key') {
    const why = 'A public key names nobody. Leave this field out';
    if (issuer !== null) errors.set('issuer', why);
    if (subjects.length > 0) errors.set('subjects', why);
    if (claims.length > 0) errors.set('claims', why);
    return errors;
  }
  if (issuer === null) errors.set('issuer', 'Say which issuer has to have proved the identity');
  if (subjects.length === 0 && !claims.some(({ name }) => NAMING.has(name))) {
    errors.set(
      'subjects',
      `Give subjects, or bind one of the claims ${[...NAMING].join(', ')}. Otherwise everybody whom the issuer knows matches`,
    );
  }
  for (const [i, pattern] of subjects.entries()) {
    const wrong = subjectError(pattern);
    if (wrong !== undefined) errors.set(`subjects[${i}]`, wrong);
  }
  for (const { name, values } of claims) {
    if (!values.every(isBound)) errors.set(`claims.${name}`, "Each pattern should have a letter or a digit beside '*'");
    else if (EXACT.has(name) && values.some(hasWildcard)) {
      errors.set(`claims.${name}`, "A claim that names an owner or a repository takes no '*'. List the exact values");
    } else if (NAMING.has(name) && values.some((value) => subjectError(value) !== undefined)) {
      errors.set(`claims.${name}`, WIDE);
    }
  }
  return errors;
}

const WIDE =
  "'*' is possible after the repository only, and in an address of mail before the '@' only: otherwise names that strangers choose match";

function subjectError(pattern: string): string | undefined {
  if (!isBound(pattern)) return "A pattern should have a letter or a digit beside '*'";
  const fixed = pattern.includes('://') ? pattern.split('/').slice(0, EXACT_PARTS).join('/') : domainOf(pattern);
  return hasWildcard(fixed) ? WIDE : undefined;
}

/** The part of an address of mail that nobody else can have; the whole text if it is none. */
const domainOf = (pattern: string): string =>
  pattern.includes('@') ? pattern.slice(pattern.lastIndexOf('@')) : pattern;

/**
 * Compares whom a certificate names with a signer.
 * @returns why it is somebody else, as a sentence
 */
export function identityRefusal(
  { name, issuer, subjects, claims }: Identity & { name: string },
  found: CertificateSigner,
): string | undefined {
  if (found.issuer !== issuer)
    return `The certificate has the issuer '${found.issuer}'. The signer '${name}' has '${issuer}'`;
  if (subjects.length > 0 && !subjects.some((pattern) => matchesPattern(pattern, found.subject))) {
    return `The certificate names '${found.subject}', which no subject of the signer '${name}' matches`;
  }
  for (const claim of claims) {
    const value = Object.hasOwn(found.claims, claim.name) ? found.claims[claim.name] : undefined;
    if (value === undefined) return `The certificate does not have the claim ${claim.name} of the signer '${name}'`;
    if (!claim.values.some((pattern) => matchesPattern(pattern, value))) {
      return `The certificate has ${claim.name} '${value}', which the signer '${name}' does not accept`;
    }
  }
  return undefined;
}
