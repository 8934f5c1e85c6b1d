import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Invocation, Outcome } from './function-runner.ts';
import type { ProcessWatch } from './process-watch.ts';

interface PendingCall {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

const RUNNER = fileURLToPath(new URL('./function-runner.ts', import.meta.url));

/**
 * A bundled function in a child process with its own environment. Events and results are sent as JSON; output of the
 * function goes to the output of this process. The child process starts at the first call and is replaced after a crash.
 * Unlike in a region, one process runs several calls at the same time.
 */
export class FunctionProcess {
  readonly #folder: string;
  readonly #environment: () => Record<string, string>;
  readonly #watch: ProcessWatch | undefined;
  readonly #pending = new Map<number, PendingCall>();
  #child: ChildProcess | undefined;
  #calls = 0;

  /**
   * @param folder folder with the unpacked archive of the function
   * @param environment returns the settings of the function; it is called when the child process starts
   * @param watch called with the child process; needed if the child process will be frozen
   */
  constructor(folder: string, environment: () => Record<string, string>, watch?: ProcessWatch) {
    this.#folder = folder;
    this.#environment = environment;
    this.#watch = watch;
  }

  /**
   * Calls the function.
   *
   * @returns the result of the handler
   * @throws Error if the handler throws or if the child process ends
   */
  invoke(event: unknown, timeoutMillis: number): Promise<unknown> {
    const child = this.#startedChild();
    this.#calls += 1;
    const id = this.#calls;
    const invocation: Invocation = { id, event, deadline: Date.now() + timeoutMillis };
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      child.send(invocation, (error) => error && this.#settle({ id, ok: false, error: error.message }));
    });
  }

  async stop(): Promise<void> {
    const child = this.#running();
    if (!child) return;
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  }

  /** Ends the child process without notice. The next call starts another one. */
  async kill(): Promise<void> {
    const child = this.#running();
    if (!child) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Sends a signal to the child process, if there is one. */
  signal(signal: NodeJS.Signals): void {
    this.#running()?.kill(signal);
  }

  #running(): ChildProcess | undefined {
    const child = this.#child;
    return child && child.exitCode === null && child.signalCode === null ? child : undefined;
  }

  #startedChild(): ChildProcess {
    const running = this.#running();
    if (running?.connected) return running;
    const child = fork(RUNNER, [this.#folder], { env: this.#environment(), execArgv: [] });
    child.on('message', (outcome: Outcome) => this.#settle(outcome));
    const { pid } = child;
    if (pid !== undefined) this.#watch?.add(pid);
    child.on('exit', (code, signal) => {
      if (pid !== undefined) this.#watch?.remove(pid);
      const error = `The process of the function ended (${signal ?? code})`;
      if (this.#child === child) for (const id of [...this.#pending.keys()]) this.#settle({ id, ok: false, error });
    });
    this.#child = child;
    return child;
  }

  #settle(outcome: Outcome): void {
    const call = this.#pending.get(outcome.id);
    this.#pending.delete(outcome.id);
    if (outcome.ok) call?.resolve(outcome.result);
    else call?.reject(new Error(outcome.error));
  }
}
