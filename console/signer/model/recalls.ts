import { fullTime } from '../../model/time.ts';
import { count } from '../../model/words.ts';
import type { FieldText } from '../../parts/table/model/changes.ts';
import type { Recall } from '../operations.ts';

/** What is said of recalls (rules/verified-evidence.md#recalls). */

type Target = Pick<Recall, 'signer' | 'run' | 'builder' | 'root' | 'key' | 'bundles'>;
type Period = Pick<Recall, 'from' | 'until'>;

/** What a recall is about. A record that cannot be read is about nothing. */
export function targetText({ signer, run, builder, root, key, bundles }: Target): string {
  if (signer !== null) return `signatures of the signer ${signer}`;
  if (run !== null) return `signatures of the run ${run}`;
  if (builder !== null) return `signatures about builds of ${builder}`;
  if (root !== null) return `signatures that were verified with ${rootText(root)}`;
  if (key !== null) return `signatures with the public key ${key}`;
  if (bundles === null) return 'nothing that can be read';
  return bundles.length === 1 ? `the bundle ${bundles[0]}` : count(bundles.length, 'bundle');
}

const rootText = ({ name, version }: NonNullable<Target['root']>): string =>
  version === null ? `the trust root ${name}` : `version ${version} of the trust root ${name}`;

/** When what is recalled was signed. */
export function periodText({ from, until }: Period): string {
  const [begin, end] = [from, until].map((at) => (at === null ? null : fullTime(at, 'utc')));
  if (begin && end) return `from ${begin} until ${end}`;
  if (begin) return `from ${begin} on`;
  return end ? `before ${end}` : 'at any time';
}

export function recallSentence(recall: Recall): string {
  const { deleted } = recall;
  const what = `${targetText(recall)}, made ${periodText(recall)}`;
  return deleted ? `Deleted: it does not recall ${what}, any more.` : `Not to be trusted: ${what}.`;
}

export function recallListSentence(recalls: readonly Pick<Recall, 'deleted'>[]): string {
  const active = recalls.filter(({ deleted }) => !deleted).length;
  return active === 0 ? 'Nothing is recalled.' : `${count(active, 'recall')}: what they name is not to be trusted.`;
}

/** What a recall has to name to be shown beside a record. */
interface Named {
  signer?: string;
  root?: string;
}

/** The recalls of a signer, or of a trust root or a version of it, that are not deleted. */
export const recallsOf = (recalls: readonly Recall[], { signer, root }: Named): Recall[] =>
  recalls.filter(
    (one) =>
      !one.deleted &&
      ((signer !== undefined && one.signer === signer) || (root !== undefined && one.root?.name === root)),
  );

/** The fields of a recall that its versions are compared by. */
export const RECALL_FIELDS: readonly FieldText<Recall>[] = [
  ['Recalled', (one) => (one.bundles ? one.bundles.join(', ') : targetText(one))],
  ['Made', periodText],
  ['Reason', ({ reason }) => reason],
  ['Deleted', ({ deleted }) => (deleted ? 'yes' : 'no')],
];
