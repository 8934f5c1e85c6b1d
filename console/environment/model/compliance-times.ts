import type { SnapshotSummary } from '../operations.ts';

/**
 * Returns how long an environment was not compliant, in seconds, for each time that ended since an instant: from the first
 * snapshot that is not compliant to the next compliant one. A snapshot whose state is unknown ends nothing.
 *
 * @param snapshots in any order
 * @param since seconds since 1970
 */
export function complianceTimes(
  snapshots: readonly Pick<SnapshotSummary, 'index' | 'from' | 'state'>[],
  since: number,
): number[] {
  const times: number[] = [];
  let began: number | null = null;
  for (const { from, state } of snapshots.toSorted((a, b) => a.index - b.index)) {
    if (state === false) began ??= from;
    if (state !== true) continue;
    if (began !== null && from >= since) times.push(from - began);
    began = null;
  }
  return times;
}
