import { shortName } from '#shared/base/reasons/artifact-name.ts';
import { count, listed } from '../../model/words.ts';
import type { AllowList, SnapshotRow } from '../operations.ts';

/**
 * What the page of the allow-list says first: how many entries are in force, and which of the artifacts run now.
 * @param isFirst whether the answer is the first page of the list
 * @param running what runs in the environment; undefined while that is not known
 */
export function allowListSentence(
  { entries, next_cursor: next }: AllowList,
  isFirst: boolean,
  running: readonly SnapshotRow[] | undefined,
): string {
  const isWhole = isFirst && next === null;
  if (isWhole && entries.length === 0) return 'The allow-list is empty: the policies alone decide what may run here.';
  const entered = isWhole
    ? `${count(entries.length, 'artifact')} may run here whatever the policies say.`
    : `${count(entries.length, 'entry')} of the allow-list ${entries.length === 1 ? 'is' : 'are'} on this page.`;
  if (running === undefined) return entered;
  // An entry that is newer than the newest snapshot is not known to the rows of that snapshot.
  const known = new Set(entries.map(({ artifact_fingerprint: fingerprint }) => fingerprint));
  const allowed = running.filter((row) => row.allowed || known.has(row.fingerprint));
  return `${entered} ${runningText(allowed, isWhole && entries.length === 1)}`;
}

function runningText(allowed: readonly SnapshotRow[], isOnly: boolean): string {
  if (allowed.length === 0) return isOnly ? 'It does not run now.' : 'None of the allowed artifacts runs now.';
  if (isOnly) return 'It runs now.';
  return `${allowed.length} of the allowed artifacts ${allowed.length === 1 ? 'runs' : 'run'} now: ${listed(allowed.map(({ name }) => shortName(name)))}.`;
}

/** The running artifacts by fingerprint. Of several with one fingerprint, the first stands for all. */
export const rowsByFingerprint = (rows: readonly SnapshotRow[]): ReadonlyMap<string, SnapshotRow> =>
  new Map(rows.toReversed().map((row) => [row.fingerprint, row]));
