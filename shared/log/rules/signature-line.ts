import { type Duration, latestOf, type Micros, secondsOf } from '#shared/base/time.ts';

/** How the signatures of a region are rationed (rules/log.md#signatures-of-a-region). */

/** Most signatures of a second, if the stage says nothing else. */
export const SIGNATURES_PER_SECOND = 200;
/** For this time a region may save up signatures. The connections of the event source gather messages as long as this. */
const SAVED: Duration = 2_000_000;

/** The line of logs that wait for a signature. Each gets the next number, and numbers are called in their order. */
export interface SignatureLine {
  /** The last number that was given. */
  given: number;
  /** Numbers up to this one were called. It grows with time, so it is no whole number. */
  called: number;
  at: Micros;
  /** Most signatures of a second. */
  rate: number;
}

/** What a log wants: to use its number, to get the next number, or to sign at once, but only if no other log has to wait. */
export type Wish = { number: number } | 'next' | 'spare';

/** A place in the line. */
export interface Place {
  number: number;
  /** In how many whole seconds the number is called; 0 if it was called. */
  inSeconds: number;
}

/** @param line as it is stored; null if none is */
function lineAt(line: SignatureLine | null, now: Micros, rate: number): SignatureLine {
  if (!line) return { given: 0, called: rate * secondsOf(SAVED), at: now, rate };
  const { given, called } = line;
  // The clock of another container can be ahead. A time far ahead counts for nothing.
  const at = line.at - now > SAVED ? now : latestOf(line.at, now);
  // After a longer pause as much is called as could be saved.
  const passed = Math.min(Math.max(now - line.at, 0), SAVED);
  const most = given + rate * secondsOf(SAVED);
  return { given, called: Math.min(called + rate * secondsOf(passed), most), at, rate };
}

/**
 * Gives places in the line. New numbers are given in the order of the wishes; spare signatures after all of them.
 *
 * @param line as it is stored; null if none is
 * @returns the line afterwards, and a place for each wish; null where no signature is to spare
 */
export function placesIn(
  line: SignatureLine | null,
  wishes: readonly Wish[],
  now: Micros,
  rate: number,
): { line: SignatureLine; places: (Place | null)[] } {
  const after = lineAt(line, now, rate);
  const places: (Place | null)[] = wishes.map(() => null);
  const isAfter = (wish: Wish) => (wish === 'spare' ? 1 : 0);
  for (const [i, wish] of [...wishes.entries()].sort(([, one], [, other]) => isAfter(one) - isAfter(other))) {
    if (wish === 'spare' && after.called < after.given + 1) continue;
    // A line that was restored or lost does not know the numbers that it gave afterwards.
    const isKnown = typeof wish === 'object' && wish.number <= after.given;
    if (!isKnown) after.given += 1;
    const number = isKnown ? wish.number : after.given;
    places[i] = { number, inSeconds: secondsUntilCalled(after, number) };
  }
  return { line: after, places };
}

/** Returns in how many whole seconds a number is called, if numbers are called all the time; 0 if it was called. */
const secondsUntilCalled = ({ called, rate }: SignatureLine, number: number): number =>
  Math.max(0, Math.ceil((number - called) / rate));

/** Returns how many whole seconds a log waits that gets a number now. */
export function secondsToWait(line: SignatureLine | null, now: Micros): number {
  if (!line) return 0;
  return secondsUntilCalled(lineAt(line, now, line.rate), line.given + 1);
}
