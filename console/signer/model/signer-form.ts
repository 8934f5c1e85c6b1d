import { claimsProblem, readClaims } from '../../settings/claims.ts';

/** What the form of a signer holds, and the request that comes of it. */

/** Whether a certificate names the signer, or a public key is all that is known. */
type KnownBy = 'certificate' | 'key';

interface Values {
  by: KnownBy;
  trust_root: string;
  issuer: string;
  subjects: readonly string[];
  claims: string;
  description: string;
}

/** Fields that a signer with a public key does not have: a key names nobody. */
const OF_CERTIFICATES = new Set(['issuer', 'subjects', 'claims']);

/** Whether the form has a field. */
export const hasField = (by: KnownBy, field: string): boolean => by === 'certificate' || !OF_CERTIFICATES.has(field);

/** What the service would refuse without naming a line. */
export function checkValues({ by, claims }: Pick<Values, 'by' | 'claims'>): Record<string, string> {
  const problem = by === 'certificate' ? claimsProblem(claims) : undefined;
  return problem === undefined ? {} : { claims: problem };
}

export const bodyOf = ({ by, trust_root: root, issuer, subjects, claims, description }: Values) => ({
  trust_root: root.trim(),
  ...(by === 'certificate' && { issuer: issuer.trim(), subjects: [...subjects], claims: readClaims(claims) }),
  ...(description !== '' && { description }),
});
