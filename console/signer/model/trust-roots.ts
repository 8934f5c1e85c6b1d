import { count } from '../../model/words.ts';
import type { FieldText } from '../../parts/table/model/changes.ts';
import type { Signer, TrustRoot } from '../operations.ts';

/** What is said of trust roots (rules/verified-evidence.md#stored-trust-roots). */

/** What a kind is, in words. A list shows a placeholder for a record that cannot be read. */
export function kindText(kind: string): string {
  if (kind === 'sigstore') return 'authorities and logs';
  return kind === 'public-key' ? 'public key' : 'unknown';
}

/** The text that signatures are verified with. */
export const textOf = ({ trusted_root: root, public_key: key }: TrustRoot): string => root ?? key ?? '';

/** What a trust root verifies, and for whom. */
export function trustRootSentence({ kind, deleted }: TrustRoot, signers: readonly Pick<Signer, 'deleted'>[]): string {
  const users = count(signers.filter((one) => !one.deleted).length, 'signer');
  if (deleted) return `Deleted: it verifies nothing any more, also for ${users} that ${nameIt(users)} it.`;
  const by = kind === 'public-key' ? 'this public key' : 'these authorities and logs';
  return `Signatures of ${users} are verified with ${by}.`;
}

const nameIt = (users: string): string => (users.startsWith('1 ') ? 'names' : 'name');

export function trustRootListSentence(roots: readonly Pick<TrustRoot, 'deleted'>[]): string {
  const own = roots.filter(({ deleted }) => !deleted).length;
  return own === 0 ? 'Only the public root is trusted.' : `${count(own, 'trust root')}, beside the public one.`;
}

/** The fields of a trust root that its versions are compared by. A text is too long to stand in a table. */
export const TRUST_ROOT_FIELDS: readonly FieldText<TrustRoot>[] = [
  ['Kind', ({ kind }) => kindText(kind)],
  ['SHA-256 of the text', ({ digest }) => digest],
  ['Description', ({ description }) => description ?? 'none'],
  ['Deleted', ({ deleted }) => (deleted ? 'yes' : 'no')],
];
