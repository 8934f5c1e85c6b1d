import { type Clock, type Duration, fromMillis, type Micros, plus, systemClock } from '#shared/base/time.ts';

/** A clock that stands still until the story moves it, so that a period of an alarm holds just what the story did in it. */
export class StoryClock implements Clock {
  #last = systemClock().now();
  /** The moves: from when on, in real milliseconds, the clock showed an instant. */
  readonly #moves = [{ real: 0, shown: this.#last }];

  /** Each call returns a later instant, by a microsecond. */
  now(): Micros {
    this.#last = plus(this.#last, 1);
    return this.#last;
  }

  advance(duration: Duration): void {
    this.#last = plus(this.#last, duration);
    this.#moves.push({ real: Date.now(), shown: this.#last });
  }

  /** Moves to the next multiple of a number of seconds: to the end of the period that the clock is in. */
  advanceToEndOf(periodSeconds: number): void {
    const period: Duration = periodSeconds * 1_000_000;
    this.advance(period - (this.#last % period));
  }

  /** Returns what the clock showed at a real instant. @param millis since 1970 */
  shownAt(millis: number): Micros {
    return this.#moves.findLast(({ real }) => real <= millis)?.shown ?? fromMillis(millis);
  }
}
