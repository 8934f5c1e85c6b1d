import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const WATCH = fileURLToPath(new URL('process-watch.sh', import.meta.url));

/** Kills processes as soon as this process has ended, however it ends. It is a shell script that waits on a pipe. */
export class ProcessWatch {
  readonly #child: ChildProcess;

  constructor() {
    // A process group of its own: Ctrl-C in a terminal must not end the watch before the processes.
    this.#child = spawn('sh', [WATCH], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    // A write after the end of the watch needs no error: it is killed only together with the whole stack.
    this.#child.stdin?.on('error', () => undefined);
  }

  add(pid: number): void {
    this.#child.stdin?.write(`+ ${pid}\n`);
  }

  remove(pid: number): void {
    this.#child.stdin?.write(`- ${pid}\n`);
  }

  /** Ends the watch, after the processes that are still watched. */
  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await exited;
  }
}
