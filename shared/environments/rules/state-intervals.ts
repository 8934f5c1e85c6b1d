import * as z from 'zod';
import { type Micros, StoredMicros } from '#shared/base/time.ts';

/** A snapshot whose state differs from the state before it (rules/environments.md#state-changes-over-time). */
export const StateChange = z.object({
  index: z.number(),
  at: StoredMicros,
  /** Null = unknown. */
  state: z.boolean().nullable(),
  /** The state before; null for the first snapshot as well. */
  was: z.boolean().nullable(),
});
export type StateChange = z.infer<typeof StateChange>;

interface StateInterval {
  from: Micros;
  /** Null if the state is still in force. */
  to: Micros | null;
  state: boolean | null;
}

export interface StateHistory {
  /** Since when the present state is in force; null if there is no snapshot. */
  since: Micros | null;
  /** Oldest first. Neighbours have different states. */
  intervals: StateInterval[];
  /** Whether the window has earlier intervals that are left out. */
  hasEarlier: boolean;
}

/**
 * Computes the intervals of a window from the changes of the state in it.
 * @param present the present state and the time of the snapshot with which it began; 0 = no snapshot
 * @param changes the changes from `from` on, oldest first
 * @param from start of the window; an interval that began earlier begins there
 * @param most most intervals; the newest remain
 */
export function stateHistory(
  present: { state: boolean | null; since: Micros },
  changes: readonly StateChange[],
  from: Micros,
  most: number,
): StateHistory {
  if (present.since === 0) return { since: null, intervals: [], hasEarlier: false };
  const [first] = changes;
  const before = first ? first.was : present.state;
  // The first snapshot has nothing before it. Otherwise a state was in force when the window began.
  const begins = first && (first.index === 1 || first.at === from) ? [] : [{ at: from, state: before }];
  const starts = [...begins, ...changes];
  const intervals = starts.map(
    ({ at, state }, i): StateInterval => ({ from: at, to: starts[i + 1]?.at ?? null, state }),
  );
  return { since: present.since, intervals: intervals.slice(-most), hasEarlier: intervals.length > most };
}
