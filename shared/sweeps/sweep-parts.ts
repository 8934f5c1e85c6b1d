import { errorFacts } from '#shared/base/error-facts.ts';
import type { WorkerLog } from '#shared/base/log-lines.ts';

/** The parts of a sweep. A part that fails does not stop the others; the next sweep tries it again. */
export class SweepParts {
  readonly #log: WorkerLog;
  readonly failures: unknown[] = [];
  /** Whether every part ran and none failed. */
  isComplete = true;
  /** Whether there is time for another part. */
  readonly isTime: () => boolean;

  constructor(log: WorkerLog, isTime: () => boolean) {
    this.#log = log;
    this.isTime = isTime;
  }

  /**
   * Runs a part, unless the time is over.
   * @returns the result of the part; null if the part failed or did not run
   */
  async attempt<T>(facts: Record<string, unknown>, work: () => Promise<T>): Promise<T | null> {
    try {
      if (this.isTime()) return await work();
    } catch (error) {
      this.failures.push(error);
      this.#log('A part of a sweep failed; the next one tries again', { ...facts, ...errorFacts(error) });
    }
    this.isComplete = false;
    return null;
  }
}
