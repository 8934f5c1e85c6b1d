/** An instant as whole microseconds since the Unix epoch (design §3, «Time»). Exact as a number until the year 2255. */
export type Micros = number;

export interface Clock {
  /** The present instant; never the same twice in one process, never going back. */
  now(): Micros;
}

/** The system's clock. `Date.now()` has milliseconds only: the microseconds below them count the calls within one. */
export function systemClock(millis: () => number = Date.now): Clock {
  let last = 0;
  return {
    now() {
      last = Math.max(millis() * 1000, last + 1);
      return last;
    },
  };
}

/** The instant on the wire: seconds since the epoch with a fraction (semantics §1.1). */
export const toSeconds = (micros: Micros): number => micros / 1e6;

export const fromSeconds = (seconds: number): Micros => Math.round(seconds * 1e6);

/** The later of now and one microsecond after what came before: a series' times strictly increase (design §3, «Time»). */
export const after = (previous: Micros | undefined, now: Micros): Micros =>
  previous === undefined ? now : Math.max(now, previous + 1);
