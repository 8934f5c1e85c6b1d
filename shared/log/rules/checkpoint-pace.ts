import { type Duration, type Micros, secondsOf } from '#shared/base/time.ts';

/** How soon a checkpoint follows the one before (rules/log.md#pace-of-checkpoints). */

/** A signature costs more than the rest of a call of the integrator, so few entries wait this long for one. */
export const CHECKPOINT_EVERY: Duration = 2_000_000;
/** This many entries do not wait: for each of them the signature costs little. */
export const ENOUGH_ENTRIES = 20;

interface Published {
  size: number;
  at: Micros;
}

/**
 * Returns how many whole seconds the next checkpoint has to wait; 0 if it is due. The clock of another container can be
 * ahead, so a time in the future counts for nothing.
 *
 * @param every the shortest time between two checkpoints
 */
export function secondsUntilDue(
  { size: published, at }: Published,
  size: number,
  now: Micros,
  every: Duration,
): number {
  const age = now - at;
  if (size - published >= ENOUGH_ENTRIES || age < 0 || age >= every) return 0;
  return Math.ceil(secondsOf(every - age));
}

/**
 * Whether another call of the integrator sees to the next checkpoint. The first call that appends after a checkpoint does,
 * and so does a call without entries. If every call did, each of them would cost a message.
 *
 * @param before entries of the log when the call began
 */
export const isTurnOfOther = (published: number, before: number, size: number): boolean =>
  before > published && size > before;
