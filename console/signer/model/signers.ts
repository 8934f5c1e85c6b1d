import { count } from '../../model/words.ts';
import type { FieldText } from '../../parts/table/model/changes.ts';
import { claimsText } from '../../settings/claims.ts';
import type { Signer } from '../operations.ts';

/** What is said of signers (rules/verified-evidence.md#signers). */

type Identity = Pick<Signer, 'issuer' | 'subjects' | 'claims'>;

/** Whom a certificate has to name, one pattern per line; empty with a public key. */
export const identityText = ({ subjects, claims }: Identity): string =>
  [...subjects.map((subject) => `subject = ${subject}`), ...claimsText(claims).split('\n')]
    .filter((line) => line !== '')
    .join('\n');

/** What counts as a signature of a signer, or why nothing does. */
export function signerSentence(signer: Signer, isRootDeleted: boolean): string {
  const { name, trust_root: root, issuer, deleted } = signer;
  if (deleted)
    return 'Deleted: it verifies nothing any more. What it verified before keeps its grade and names the version.';
  if (isRootDeleted) return `It verifies nothing, because its trust root ${root} is deleted.`;
  if (issuer === null) return `A signature with the public key ${root} counts as one of ${name}.`;
  return `A signature counts as one of ${name} if its certificate has this identity, and ${hostOf(issuer)} proved it.`;
}

/** The issuer without its scheme, as people know it. */
export const hostOf = (issuer: string): string => issuer.replace(/^https:\/\//, '');

export function signerListSentence(signers: readonly Pick<Signer, 'deleted'>[]): string {
  const active = signers.filter(({ deleted }) => !deleted).length;
  if (active === 0) return 'No signer is known, so no signature is verified.';
  return `${count(active, 'signer')} ${active === 1 ? 'is' : 'are'} known. A signature of anybody else is not verified.`;
}

/** The fields of a signer that its versions are compared by. */
export const SIGNER_FIELDS: readonly FieldText<Signer>[] = [
  ['Trust root', ({ trust_root: root }) => root],
  ['Issuer', ({ issuer }) => issuer ?? 'none'],
  ['Subjects', ({ subjects }) => subjects.join(', ') || 'none'],
  ['Claims', ({ claims }) => claimsText(claims).replaceAll('\n', ', ') || 'none'],
  ['Description', ({ description }) => description ?? 'none'],
  ['Deleted', ({ deleted }) => (deleted ? 'yes' : 'no')],
];
