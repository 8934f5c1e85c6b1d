import type { SnapshotRow } from '#console/environment/operations.ts';

/** A compliant artifact that runs since the snapshot before. */
export const aRow = (name: string, more: Partial<SnapshotRow> = {}): SnapshotRow => ({
  name,
  fingerprint: name.padEnd(64, '0'),
  state: true,
  allowed: false,
  change: 'unchanged',
  instances: 1,
  started_at: 100,
  flow_name: 'web',
  trail_name: 'release-1',
  artifact_id: null,
  reasons: [],
  reasons_total: 0,
  ...more,
});
