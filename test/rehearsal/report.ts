import { shortened } from './compare.ts';
import { RehearsalError } from './run.ts';

/** Prints each step with its result, and counts. */
export class Report {
  #passed = 0;
  #failed = 0;
  readonly #signal: AbortSignal;
  readonly #print: (line: string) => void;

  constructor(signal: AbortSignal, print: (line: string) => void = console.log) {
    this.#signal = signal;
    this.#print = print;
  }

  /** Prints the name of a part. */
  part(name: string): void {
    this.#print(`\n${name}`);
  }

  /**
   * Runs a step.
   *
   * @param check returns a sentence for each problem; an error is a problem too
   * @returns whether the step passed
   * @throws whatever ended the rehearsal: a signal, the end of its time, a missing program
   */
  async step(name: string, check: () => Promise<readonly string[]>): Promise<boolean> {
    const start = performance.now();
    const problems = await this.#problems(check);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    this.#print(`${problems.length === 0 ? 'passed' : 'FAILED'}  ${name} (${seconds} s)`);
    for (const problem of shortened(problems)) this.#print(`        ${problem}`);
    if (problems.length === 0) this.#passed += 1;
    else this.#failed += 1;
    return problems.length === 0;
  }

  /**
   * Runs a part. An error between its steps is a failed step, so that the others are still counted.
   *
   * @returns what the part returns; false after an error
   */
  async guard(part: () => Promise<boolean>): Promise<boolean> {
    let result = false;
    const problems = await this.#problems(async () => {
      result = await part();
      return [];
    });
    if (problems.length > 0) await this.step('the part goes on', async () => problems);
    return result;
  }

  async #problems(check: () => Promise<readonly string[]>): Promise<readonly string[]> {
    this.#signal.throwIfAborted();
    try {
      return await check();
    } catch (error) {
      this.#signal.throwIfAborted();
      if (error instanceof RehearsalError || !(error instanceof Error)) throw error;
      return [error.message];
    }
  }

  /** Prints the last line. @returns the exit code */
  end(): number {
    this.#print(`\n${this.#passed} passed, ${this.#failed} failed`);
    return this.#failed === 0 ? 0 : 1;
  }
}
