import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, type Duration, latestOf, type Micros, plus } from '#shared/base/time.ts';

export const HOUR: Duration = 3600 * 1_000_000;

/** A time that stands still, apart from the microsecond of each reading, until somebody moves it ahead. */
export class WalkingClock implements Clock {
  #last: Micros;

  constructor(start: Micros) {
    this.#last = start;
  }

  now(): Micros {
    this.#last = plus(this.#last, 1);
    return this.#last;
  }

  /** Moves to an instant, if the clock is not past it. */
  walkTo(at: Micros): void {
    this.#last = latestOf(this.#last, at);
  }
}

/** A clock that shows each step of the demo data its own time, also while several steps run. */
export class ClockOfSteps implements Clock {
  readonly #steps = new AsyncLocalStorage<Clock>();
  readonly #outside: Clock;

  /** @param start the time outside of steps */
  constructor(start: Micros) {
    this.#outside = new WalkingClock(start);
  }

  now(): Micros {
    return (this.#steps.getStore() ?? this.#outside).now();
  }

  /** Runs a step, which begins at an instant. */
  at<T>(instant: Micros, run: () => T): T {
    return this.#steps.run(new WalkingClock(instant), run);
  }
}
