import { stateOfVerdict } from '../../model/states.ts';
import type { Interval, Period } from '../../parts/plot/model/timeline.ts';
import type { EnvironmentStates, SnapshotSummary } from '../operations.ts';

const DAY = 86_400;

export const lastDays = (days: number, now: number): Period => ({ from: now - days * DAY, to: now });

/** A snapshot as a stretch of time. */
interface SnapshotInterval extends Interval {
  index: number;
}

/** The intervals of snapshots that overlap a period, oldest first. The newest snapshot lasts until the end of the period. */
export const snapshotIntervals = (snapshots: readonly SnapshotSummary[], period: Period): SnapshotInterval[] =>
  snapshots
    .map(({ index, from, to, state }) => ({
      index,
      from,
      to: to === 0 ? Math.max(period.to, from) : to,
      state: stateOfVerdict(state),
    }))
    .filter(({ to }) => to >= period.from)
    .toSorted((a, b) => a.index - b.index);

/** The states of an environment in a list as intervals. */
export const stateIntervals = ({ intervals }: EnvironmentStates, now: number): Interval[] =>
  intervals.map(({ from, to, state }) => ({ from, to: to ?? now, state: stateOfVerdict(state) }));
