import {
  type Clock,
  type Duration,
  EPOCH,
  latestOf,
  type Micros,
  minus,
  plus,
  systemClock,
} from '#shared/base/time.ts';

/** A clock that runs as the system's, and can be moved ahead: past settling times, expiries, days of grace. */
export interface MovableClock extends Clock {
  advance(duration: Duration): void;
}

/** @param start the first instant that it gives, in microseconds; now unless said */
export function movableClock(start?: Micros): MovableClock {
  let moved = 0;
  let last = start === undefined ? EPOCH : minus(start, 1);
  const system = systemClock();
  const offset = start === undefined ? 0 : start - system.now();
  return {
    now() {
      last = latestOf(plus(system.now(), offset + moved), plus(last, 1));
      return last;
    },
    advance(duration) {
      moved += duration;
    },
  };
}

/** A clock that moves by a microsecond at each call, and otherwise only when a test says so. Two runs read the same instants. */
export function steppingClock(start: Micros): MovableClock {
  let last = start;
  return {
    now() {
      last = plus(last, 1);
      return last;
    },
    advance(duration) {
      last = plus(last, duration);
    },
  };
}
