import { pause } from './pause.ts';

/** The service is quiet after no request has run for this long, in milliseconds. */
const QUIET_MILLIS = 20;
/** Work waits for a quiet moment until requests have come without one for this long, in milliseconds. */
const MOST_BUSY_MILLIS = 2_000;

/**
 * Pauses between requests. Functions that run in the process of the stack share one thread and one database, so work that nobody waits
 * for would delay the answers that somebody waits for. The work begins in a pause between requests. If requests come for longer
 * without a pause, it runs beside them, so that it does not fall behind.
 */
export class RequestPauses {
  #running = 0;
  #lastEnd = Number.NEGATIVE_INFINITY;
  #busySince = Number.NEGATIVE_INFINITY;
  readonly #ending = new AbortController();
  readonly #now: () => number;

  /** @param now returns milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts a request as running until the promise settles. */
  async during<T>(answer: Promise<T>): Promise<T> {
    if (this.#isQuiet()) this.#busySince = this.#now();
    this.#running += 1;
    try {
      return await answer;
    } finally {
      this.#running -= 1;
      this.#lastEnd = this.#now();
    }
  }

  /** Returns the function, each of whose calls first waits for a pause, or for two seconds of requests without one. */
  between<Event, Result>(call: (event: Event) => Promise<Result>): (event: Event) => Promise<Result> {
    return async (event) => {
      await this.#next();
      return call(event);
    };
  }

  /** Ends the waiting, so that the functions can stop. */
  end(): void {
    this.#ending.abort();
  }

  async #next(): Promise<void> {
    const { signal } = this.#ending;
    while (!(this.#isQuiet() || this.#now() - this.#busySince >= MOST_BUSY_MILLIS || signal.aborted)) {
      await pause(QUIET_MILLIS / 2, signal);
    }
  }

  #isQuiet(): boolean {
    return this.#running === 0 && this.#now() - this.#lastEnd >= QUIET_MILLIS;
  }
}
