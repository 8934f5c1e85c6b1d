import { artifactKey, byFingerprint, type RunningArtifact } from './running.ts';

/** The parts of a running row that a comparison of two snapshots shows. */
export interface DiffRow extends Pick<RunningArtifact, 'name' | 'fingerprint' | 'pods'> {
  started: readonly number[];
  /** Name of the primary flow; null without provenance. */
  flow: string | null;
  commitUrl: string | null;
}

export interface DiffSide {
  env: string;
  index: number;
  /** Rows that ran in it, without those that it shows as exited. */
  rows: readonly DiffRow[];
}

/**
 * Compares two snapshots: what runs in one of them only, what runs in both with different instance counts, and what runs
 * in both with equal counts. An artifact of both is shown as the second snapshot has it.
 *
 * @returns the difference as the API answers it (rules/environments.md#diff), each list by fingerprint
 */
export function environmentDiff(first: DiffSide, second: DiffSide) {
  const [left, right] = [rowsByKey(first.rows), rowsByKey(second.rows)];
  const only = (rows: Map<string, DiffRow>, others: Map<string, DiffRow>) =>
    [...rows].flatMap(([key, row]) => (others.has(key) ? [] : [counted(row)])).sort(byFingerprint);
  const both = [...right].flatMap(([key, row]) => {
    const before = left.get(key)?.started.length;
    return before === undefined ? [] : [{ row, before, after: row.started.length }];
  });
  const changed = both
    .filter(({ before, after }) => before !== after)
    .map(({ row, before, after }) => ({ ...shown(row), s1_instance_count: before, s2_instance_count: after }));
  const same = both.filter(({ before, after }) => before === after).map(({ row }) => counted(row));
  return {
    snappish1: { snapshot_id: snapshotId(first), artifacts: only(left, right) },
    snappish2: { snapshot_id: snapshotId(second), artifacts: only(right, left) },
    changed: { artifacts: changed.sort(byFingerprint) },
    'not-changed': { artifacts: same.sort(byFingerprint) },
  };
}

const snapshotId = ({ env, index }: DiffSide) => `${env}#${index}`;

/**
 * Rows by name and fingerprint. If several members of a logical environment run the same artifact, their rows are
 * merged and their instances are added.
 */
function rowsByKey(rows: readonly DiffRow[]): Map<string, DiffRow> {
  const found = new Map<string, DiffRow>();
  for (const row of rows) {
    const key = artifactKey({ name: row.name, fingerprint: row.fingerprint });
    const known = found.get(key);
    found.set(key, known ? mergeRows(known, row) : row);
  }
  return found;
}

const mergeRows = (a: DiffRow, b: DiffRow): DiffRow => ({
  ...a,
  started: [...a.started, ...b.started],
  ...((a.pods || b.pods) && { pods: { ...a.pods, ...b.pods } }),
});

const shown = ({ fingerprint, name, flow, commitUrl, started, pods }: DiffRow) => ({
  fingerprint,
  name,
  flow,
  commit_url: commitUrl,
  most_recent_timestamp: started.reduce((latest, at) => Math.max(latest, at)),
  ...(pods && { pods: Object.keys(pods).sort() }),
});

const counted = (row: DiffRow) => ({ ...shown(row), instance_count: row.started.length });
