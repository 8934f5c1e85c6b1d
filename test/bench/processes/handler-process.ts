import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Done, Work } from './handler-runner.ts';

const RUNNER = fileURLToPath(new URL('handler-runner.ts', import.meta.url));

/** The handler of one bundle in a process of its own, like one instance of a function. */
export class HandlerProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown[]>;

  /**
   * @param folder folder with the unpacked archive
   * @param env all environment variables of the process
   */
  constructor(folder: string, env: Record<string, string>) {
    // Events of bare calls contain bytes and sets, which JSON cannot carry.
    this.#child = fork(RUNNER, [folder], { env, serialization: 'advanced', stdio: ['ignore', 'ignore', 2, 'ipc'] });
    this.#exited = once(this.#child, 'exit');
  }

  /** Calls the handler with the events. @throws Error if the handler throws or the process ends */
  async run(work: Work): Promise<Done> {
    this.#child.send(work);
    const ended = this.#exited.then(([code]) => {
      throw new Error(`The process of a handler ended with exit code ${code}`);
    });
    const [done] = (await Promise.race([once(this.#child, 'message'), ended])) as [Done];
    return done;
  }

  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#exited;
  }
}
