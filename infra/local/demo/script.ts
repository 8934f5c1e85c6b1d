import { type Micros, minus } from '#shared/base/time.ts';
import type { DemoClient } from './client.ts';
import { HOUR } from './walking-clock.ts';

type Run = (client: DemoClient) => Promise<unknown>;

/** One or more requests at an instant. */
export interface Step {
  at: Micros;
  /**
   * Names of what the step reads and changes, such as a trail. Steps with a common name run one after another. A step
   * without names runs alone.
   */
  about: readonly string[];
  run: Run;
}

/** How many steps are begun or wait for earlier steps. The load waits for the database most of the time. */
const WIDTH = 32;

/**
 * The steps of the demo data. Each part adds its own steps, by hours before the present. The load runs the steps of all
 * parts in the order of time.
 */
export class Script {
  readonly #steps: Step[] = [];
  readonly #present: Micros;

  constructor(present: Micros) {
    this.#present = present;
  }

  /** @param hoursAgo hours before the present; fractions are allowed */
  add(hoursAgo: number, about: readonly string[], run: Run): void {
    this.#steps.push({ at: this.instant(hoursAgo), about, run });
  }

  instant(hoursAgo: number): Micros {
    return minus(this.#present, Math.round(hoursAgo * HOUR));
  }

  /** Whole seconds since the epoch, for timestamps that reporters send. */
  seconds(hoursAgo: number): number {
    return Math.floor(this.instant(hoursAgo) / 1_000_000);
  }

  /**
   * Runs all steps, the earliest first. Steps of the same instant keep the order in which they were added.
   *
   * @param signal ends the run before its next step
   * @throws the error of the first step that failed, after the steps beside it
   */
  async run(runStep: (step: Step) => Promise<unknown>, signal: AbortSignal): Promise<void> {
    const running = new Map<Promise<unknown>, readonly string[]>();
    let failure: { error: unknown } | undefined;
    for (const { about, ...step } of this.#steps.toSorted((one, other) => one.at - other.at)) {
      while (running.size >= WIDTH) await Promise.race(running.keys());
      const before = [...running].filter(([, names]) => isRelated(about, names)).map(([earlier]) => earlier);
      const done: Promise<unknown> = Promise.all(before)
        .then(() => (failure || signal.aborted ? undefined : runStep({ about, ...step })))
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => running.delete(done));
      running.set(done, about);
    }
    await Promise.all(running.keys());
    if (failure) throw failure.error;
  }
}

const isRelated = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === 0 || other.length === 0 || one.some((name) => other.includes(name));
