import { type Duration, type Micros, secondsOf } from '#shared/base/time.ts';
import type { Place, Wish } from './signature-line.ts';

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

/** A log whose entries are not published. */
interface Growing {
  /** The published checkpoint; null if there is none. */
  published: Published | null;
  /** Entries of the log when the call began. */
  before: number;
  /** Entries that the log will have. */
  size: number;
}

/**
 * Returns what a call that is about to append entries wants of the line for signatures; null if it will not sign the log.
 *
 * @param number of the log in the line, if it has one
 */
export function wishOf(
  { published, before, size }: Growing,
  number: number | undefined,
  now: Micros,
  every: Duration,
): Wish | null {
  const last = published?.size ?? 0;
  if (size <= last) return null;
  if (number !== undefined) return { number };
  if (published && secondsUntilDue(published, size, now, every) > 0) return null;
  return isTurnOfOther(last, before, size) ? 'spare' : 'next';
}

/**
 * Returns in how many whole seconds a log is signed; 0 now, null if another call sees to it.
 *
 * @param place in the line for signatures; null if the log has none, undefined if signatures are not limited
 */
export function secondsUntilSigned(
  { published, before, size }: Growing,
  place: Place | null | undefined,
  now: Micros,
  every: Duration,
): number | null {
  const pause = published ? secondsUntilDue(published, size, now, every) : 0;
  // A log that was not expected to be due took no place: its message takes one.
  const wait = place === null ? 1 : (place?.inSeconds ?? 0);
  if (Math.max(pause, wait) > 0 && !place && isTurnOfOther(published?.size ?? 0, before, size)) return null;
  return Math.max(pause, wait);
}
