import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** One call of a function, on its way to the function's process. */
export interface Invocation {
  id: number;
  event: unknown;
  /** When the call must be over, in milliseconds since the epoch. */
  deadline: number;
}

export type Outcome = { id: number; ok: true; result?: unknown } | { id: number; ok: false; error: string };

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

const RUNNER = fileURLToPath(new URL('./function-runner.ts', import.meta.url));

/**
 * A function as it is deployed, in a process of its own with an environment of its own: what it prints is printed, events
 * and results travel as JSON. The process begins with the first call and is replaced when it crashes. Other than in a
 * region one process takes all calls at once.
 */
export class FunctionProcess {
  readonly #folder: string;
  readonly #environment: () => Record<string, string>;
  readonly #waiting = new Map<number, Waiting>();
  #child: ChildProcess | undefined;
  #calls = 0;

  /**
   * @param folder what the function's archive was unpacked to
   * @param environment the function's settings, asked for when its process begins
   */
  constructor(folder: string, environment: () => Record<string, string>) {
    this.#folder = folder;
    this.#environment = environment;
  }

  /** @throws Error when the handler throws, or its process ends */
  invoke(event: unknown, timeoutMillis: number): Promise<unknown> {
    const child = this.#running();
    this.#calls += 1;
    const id = this.#calls;
    const invocation: Invocation = { id, event, deadline: Date.now() + timeoutMillis };
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      child.send(invocation, (error) => error && this.#settle({ id, ok: false, error: error.message }));
    });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  }

  #running(): ChildProcess {
    if (this.#child?.connected) return this.#child;
    const child = fork(RUNNER, [this.#folder], { env: this.#environment(), execArgv: [] });
    child.on('message', (outcome: Outcome) => this.#settle(outcome));
    child.on('exit', (code, signal) => {
      const error = `The process of the function ended (${signal ?? code})`;
      if (this.#child === child) for (const id of [...this.#waiting.keys()]) this.#settle({ id, ok: false, error });
    });
    this.#child = child;
    return child;
  }

  #settle(outcome: Outcome): void {
    const waiting = this.#waiting.get(outcome.id);
    this.#waiting.delete(outcome.id);
    if (outcome.ok) waiting?.resolve(outcome.result);
    else waiting?.reject(new Error(outcome.error));
  }
}
