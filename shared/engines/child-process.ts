import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Breach, Reply } from './messages.ts';

interface ChildSettings {
  /** The program's entry file. */
  entry: string;
  /** Command-line arguments of the program. */
  args: readonly string[];
  /** Files and folders that the process may read. */
  readable: readonly string[];
  /** Time limit of one request, counted from the moment when it is sent to the child. */
  timeoutMillis: number;
  memoryMb: number;
  /** Size of the stack, at most 8 MB. @default Node's own default, about 1 MB */
  stackKb?: number;
  /** How requests are serialized. `advanced` is many times faster for long texts. @default 'json' */
  serialization?: 'json' | 'advanced';
}

type Outcome<A> = { value: A } | { breach: Breach };

/** A request to a child. `kind` selects the type of its answer. */
interface EngineRequest {
  kind: string;
}

/** The child ends itself at the time limit. If it does not, the parent kills it this much later. */
const GRACE_MILLIS = 1000;

const BOOT_MILLIS = 15_000;

/** Signals that end a process because of its own fault. A process that exceeds its heap limit ends with SIGABRT. */
const CRASH_SIGNALS: ReadonlySet<string | null> = new Set(['SIGABRT', 'SIGTRAP', 'SIGSEGV', 'SIGILL', 'SIGBUS']);

/**
 * One warm child process that serves requests one after another. It runs programs of callers without environment
 * variables and within limits of time and memory. The first request starts the process. After a breach of a limit, the
 * next request starts a new process. An idle process does not keep its parent running.
 *
 * @typeParam Q the requests
 * @typeParam A the type of the answer for each kind of request
 */
export class EngineProcess<Q extends EngineRequest, A extends Record<Q['kind'], unknown>> {
  readonly #settings: ChildSettings;
  readonly #alive = new Set<ChildProcess>();
  #idle: ChildProcess | undefined;
  /** Settles when every request so far has been served. */
  #lastServed: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(settings: ChildSettings) {
    this.#settings = settings;
  }

  /**
   * Serves a request after all earlier requests.
   * @throws Error if no child can be started, or if the child ended twice for a reason outside the request
   */
  run<K extends Q['kind']>(request: Q & { kind: K }): Promise<Outcome<A[K]>> {
    const outcome = this.#lastServed.then(() => this.#serve<K>(request));
    this.#lastServed = Promise.allSettled([outcome]);
    return outcome;
  }

  /** Ends the child. Requests that are being served or are waiting fail. */
  async close(): Promise<void> {
    this.#closed = true;
    const ended = [...this.#alive].map((child) => once(child, 'exit'));
    for (const child of this.#alive) {
      // An idle child does not keep this process running, so the process could end before the child's exit.
      child.ref();
      child.kill('SIGKILL');
    }
    await Promise.all(ended);
  }

  async #serve<K extends Q['kind']>(request: Q): Promise<Outcome<A[K]>> {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const child = this.#idle ?? (await this.#start());
      this.#idle = undefined;
      const outcome = await this.#exchange<K>(child, request);
      if (outcome !== 'lost') return outcome;
    }
    throw new Error('the engine process ended while it served a request');
  }

  async #start(): Promise<ChildProcess> {
    if (this.#closed) throw new Error('the engines are closed');
    const { entry, args, readable, memoryMb, stackKb, serialization = 'json' } = this.#settings;
    const child = fork(entry, [...args], {
      env: {},
      serialization,
      execArgv: [
        `--max-old-space-size=${memoryMb}`,
        ...(stackKb === undefined ? [] : [`--stack-size=${stackKb}`]),
        '--permission',
        ...readable.map((path) => `--allow-fs-read=${path}`),
      ],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#alive.add(child);
    child.once('exit', () => {
      this.#alive.delete(child);
      if (this.#idle === child) this.#idle = undefined;
    });
    const reply = await nextReply(child, BOOT_MILLIS);
    if (reply !== 'lost' && reply !== 'late' && 'kind' in reply && reply.kind === 'ready') return child;
    child.kill('SIGKILL');
    throw new Error('the engine process did not start');
  }

  async #exchange<K extends Q['kind']>(child: ChildProcess, request: Q): Promise<Outcome<A[K]> | 'lost'> {
    child.ref();
    child.channel?.ref();
    const answered = nextReply(child, this.#settings.timeoutMillis + GRACE_MILLIS);
    child.send(request, (error) => {
      // If the channel is broken, the child is killed; `nextReply` then reports its exit.
      if (error) child.kill('SIGKILL');
    });
    const reply = await answered;
    if (reply !== 'lost' && reply !== 'late' && 'kind' in reply && reply.kind === 'done') {
      child.unref();
      child.channel?.unref();
      this.#idle = child;
      // The child answers a request of a kind with the value of the same kind.
      return { value: reply.value as A[K] };
    }
    child.kill('SIGKILL');
    if (reply === 'lost') return 'lost';
    if (reply === 'late') return { breach: 'time' };
    return { breach: 'breach' in reply ? reply.breach : 'crash' };
  }
}

/**
 * Waits for the child's next message.
 * @returns the message; a breach if the child crashed; `lost` if it ended for another reason; `late` after `millis`
 */
function nextReply(child: ChildProcess, millis: number): Promise<Reply | 'lost' | 'late'> {
  return new Promise((resolve) => {
    const settle = (reply: Reply | 'lost' | 'late') => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      child.off('error', onError);
      resolve(reply);
    };
    // Only the program of this child sends messages on its channel.
    const onMessage = (message: unknown) => settle(message as Reply);
    const onExit = (_code: number | null, signal: string | null) =>
      settle(CRASH_SIGNALS.has(signal) ? { kind: 'breach', breach: 'memory' } : 'lost');
    const onError = () => settle('lost');
    const timer = setTimeout(() => settle('late'), millis);
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.on('error', onError);
  });
}
