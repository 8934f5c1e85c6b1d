import { shortName } from '#shared/base/reasons/artifact-name.ts';
import { reasonSentence } from '#shared/base/reasons/sentence.ts';
import { type StateName, stateOfVerdict } from '../../model/states.ts';
import { duration } from '../../model/time.ts';
import { count, listed } from '../../model/words.ts';
import { stepsOf } from '../../parts/reasons/model.ts';
import type { Environment, SnapshotRow, SnapshotRows } from '../operations.ts';
import { asOfSnapshot } from './state-reason.ts';

/** Groups of rows, the worst first. Each is a filter of the page. */
export const ROW_STATES = ['non-compliant', 'unknown', 'allowed', 'compliant'] as const satisfies readonly StateName[];
type RowState = (typeof ROW_STATES)[number];

export const stateOfRow = ({ state, allowed }: Pick<SnapshotRow, 'state' | 'allowed'>): RowState =>
  allowed ? 'allowed' : (ROW_STATES.find((one) => one === stateOfVerdict(state)) ?? 'unknown');

/** Artifacts that run. An exited one is part of the answer, but neither counted nor judged. */
export const runningRows = ({ artifacts }: Pick<SnapshotRows, 'artifacts'>): SnapshotRow[] =>
  artifacts.filter(({ instances }) => instances > 0);

/** Rows with a problem first, then by name. */
export const worstFirst = (rows: readonly SnapshotRow[]): SnapshotRow[] =>
  rows
    .map((row) => ({ row, rank: ROW_STATES.indexOf(stateOfRow(row)) }))
    .toSorted(
      (a, b) => a.rank - b.rank || byText(a.row.name, b.row.name) || byText(a.row.fingerprint, b.row.fingerprint),
    )
    .map(({ row }) => row);

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

export function countStates(rows: readonly SnapshotRow[]): Map<RowState, number> {
  const counts = new Map<RowState, number>(ROW_STATES.map((state) => [state, 0]));
  for (const row of rows) counts.set(stateOfRow(row), (counts.get(stateOfRow(row)) ?? 0) + 1);
  return counts;
}

interface RowFilter {
  state?: string | undefined;
  /** A part of the name, the flow, the trail or a reason, or the beginning of the fingerprint. */
  text?: string | undefined;
}

export function filtered(rows: readonly SnapshotRow[], { state, text = '' }: RowFilter): SnapshotRow[] {
  const wanted = text.trim().toLowerCase();
  return rows.filter(
    (row) => (state === undefined || stateOfRow(row) === state) && (wanted === '' || matches(row, wanted)),
  );
}

const matches = (
  { name, fingerprint, flow_name: flow, trail_name: trail, reasons }: SnapshotRow,
  text: string,
): boolean =>
  fingerprint.startsWith(text) ||
  [name, flow ?? '', trail ?? '', ...stepsOf(reasons).map(({ says }) => says)].some((field) =>
    field.toLowerCase().includes(text),
  );

/** What changed against the snapshot before. */
export const changedRows = ({ artifacts }: Pick<SnapshotRows, 'artifacts'>): SnapshotRow[] =>
  artifacts.filter(({ change }) => change !== 'unchanged');

const CHANGES: Readonly<Record<SnapshotRow['change'], string>> = {
  'started-compliant': 'Started',
  'started-non-compliant': 'Started',
  started: 'Started',
  'updated-provenance': 'Its build became known',
  changed: 'Instances changed',
  unchanged: 'Unchanged',
  exited: 'Exited',
};
export const changeWord = (change: SnapshotRow['change']): string => CHANGES[change] ?? change;

/** The verdict of a snapshot and its reason. */
export function rowsSentence(rows: readonly SnapshotRow[]): string {
  const groups = Map.groupBy(rows, stateOfRow);
  const { length: allowed } = groups.get('allowed') ?? [];
  const unknown = groups.get('unknown') ?? [];
  const failing = groups.get('non-compliant') ?? [];
  const [first] = failing;
  if (rows.length === 0) return 'Nothing runs here.';
  if (first) return failingSentence(first, failing.length);
  if (unknown.length === rows.length)
    return `Unknown: no policy judges ${rows.length === 1 ? shortName(rows[0]?.name ?? '') : 'what runs here'}.`;
  if (unknown.length > 0)
    return `Unknown: no policy judges ${listed(unknown.map(({ name }) => shortName(name)))}. The other artifacts are compliant.`;
  if (rows.length === 1) return `Compliant: the only running artifact${allowed === 1 ? ' is on the allow-list' : ''}.`;
  const by = allowed === 0 ? '' : ` ${allowed === 1 ? 'One of them is' : `${allowed} of them are`} on the allow-list.`;
  return `Compliant: all ${count(rows.length, 'running artifact')}.${by}`;
}

function failingSentence(first: SnapshotRow, failing: number): string {
  const reason = rowReason(first);
  const what = reason === null ? `${shortName(first.name)} is not compliant.` : sentence(reason);
  const others =
    failing === 1
      ? ''
      : ` ${count(failing - 1, 'other artifact')} ${failing === 2 ? 'is' : 'are'} not compliant either.`;
  return `Not compliant: ${what}${others}`;
}

/** Why the artifact of a row is not compliant, from the last step of its chain; null if nothing says why. */
export const rowReason = ({ name, reasons }: Pick<SnapshotRow, 'name' | 'reasons'>): string | null =>
  reasonSentence(shortName(name), stepsOf(reasons));

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** What the page of an environment says first: the verdict, its reason, and since when nothing has changed. */
export function runningSentence(
  environment: Pick<Environment, 'last_changed_at'> & { state_reason?: Environment['state_reason'] },
  running: readonly SnapshotRow[],
  now: number,
): string {
  const since = environment.last_changed_at;
  const unchanged = since === null ? '' : ` Unchanged for ${duration(now - since)}.`;
  return `${asOfSnapshot(environment, rowsSentence(running))}${unchanged}`;
}
