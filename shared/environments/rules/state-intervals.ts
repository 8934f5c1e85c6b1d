import type { Micros } from '#shared/base/time.ts';

/** A snapshot whose state differs from the state before it (rules/environments.md#state-changes-over-time). */
export interface StateChange {
  /** Number of the snapshot. */
  index: number;
  at: Micros;
  /** Null = unknown. */
  state: boolean | null;
  /** Whether the state began with this snapshot. Otherwise an earlier snapshot, which was not read, can have it too. */
  isStart: boolean;
}

export interface StateInterval {
  from: Micros;
  /** Null if the state is still in force. */
  to: Micros | null;
  state: boolean | null;
}

export interface StateHistory {
  /** Since when the present state is in force; null if there is no snapshot, or if nobody knows. */
  since: Micros | null;
  /** Oldest first. Neighbours have different states. */
  intervals: StateInterval[];
  /** Whether the window has earlier intervals that are left out. */
  hasEarlier: boolean;
}

/**
 * Whether changes tell the states of a whole window. They do not if the oldest of them is in the window and is not the
 * first snapshot: what was before is then unknown.
 * @param changes oldest first
 */
export const areComplete = ([oldest]: readonly StateChange[], from: Micros): boolean =>
  oldest !== undefined && (oldest.index === 1 || oldest.at <= from);

/** Leaves out each snapshot that has the state of the one before it. @param snapshots oldest first */
export const changesIn = (snapshots: readonly Omit<StateChange, 'isStart'>[]): StateChange[] =>
  snapshots
    .filter(({ state }, i) => i === 0 || snapshots[i - 1]?.state !== state)
    .map(({ index, at, state }, i) => ({ index, at, state, isStart: i > 0 || index === 1 }));

/**
 * Computes the intervals of a window from the changes of the state.
 * @param changes oldest first
 * @param from start of the window; an interval that began earlier begins there
 * @param most most intervals; the newest remain
 */
export function stateHistory(changes: readonly StateChange[], from: Micros, most: number): StateHistory {
  const inWindow = changes
    .map(({ at, state }, i): StateInterval => ({ from: Math.max(at, from), to: changes[i + 1]?.at ?? null, state }))
    .filter(({ to }) => to === null || to > from);
  const newest = changes.at(-1);
  return {
    since: newest?.isStart ? newest.at : null,
    intervals: inWindow.slice(-most),
    hasEarlier: inWindow.length > most || (newest !== undefined && !areComplete(changes, from)),
  };
}
