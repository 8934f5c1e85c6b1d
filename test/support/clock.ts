import { type Clock, type Micros, systemClock } from '#shared/base/time.ts';

/** A clock that runs as the system's, and can be moved ahead: past settling times, expiries, days of grace. */
export interface MovableClock extends Clock {
  /** @param micros how far the clock jumps */
  advance(micros: Micros): void;
}

/** @param start the first instant that it gives, in microseconds; now unless said */
export function movableClock(start?: Micros): MovableClock {
  let moved = 0;
  let last = start === undefined ? 0 : start - 1;
  const system = systemClock();
  const offset = start === undefined ? 0 : start - system.now();
  return {
    now() {
      last = Math.max(system.now() + offset + moved, last + 1);
      return last;
    },
    advance(micros) {
      moved += micros;
    },
  };
}
