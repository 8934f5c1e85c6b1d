import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Breach, Reply } from './messages.ts';

export interface ChildSettings {
  /** The program's entry file. */
  entry: string;
  /** What it is called with. */
  args: readonly string[];
  /** Files and folders that it may read. */
  readable: readonly string[];
  /** For one request, from when the child begins with it. */
  timeoutMillis: number;
  memoryMb: number;
  /** Of the 8 MB of stack that a process has. @default that of Node, about one */
  stackKb?: number;
  /** How requests travel; `advanced` is many times as fast for long texts. @default 'json' */
  serialization?: 'json' | 'advanced';
}

export type Outcome<A> = { value: A } | { breach: Breach };

/** What is asked of a child, by kind. */
interface Asked {
  kind: string;
}

/** The child ends itself at the limit; one that cannot is killed this much later. */
const GRACE_MILLIS = 1000;

const BOOT_MILLIS = 15_000;

/** What the kernel says of a process that failed from within: the heap's limit ends in SIGABRT. */
const CRASH_SIGNALS: ReadonlySet<string | null> = new Set(['SIGABRT', 'SIGTRAP', 'SIGSEGV', 'SIGILL', 'SIGBUS']);

/**
 * One warm child process that serves requests one after another: what callers wrote is run there, without an
 * environment, within bounds of time and memory. It is started by the first request, replaced after a breach, and never
 * keeps its parent running while it is idle.
 * @typeParam Q its requests
 * @typeParam A the values that answer them, by kind of request
 */
export class EngineProcess<Q extends Asked, A extends Record<Q['kind'], unknown>> {
  readonly #settings: ChildSettings;
  readonly #alive = new Set<ChildProcess>();
  #idle: ChildProcess | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(settings: ChildSettings) {
    this.#settings = settings;
  }

  /**
   * Has a request served when those before it are done.
   * @throws Error when no child can be started, or it ends twice for a reason that is not the request's
   */
  run<K extends Q['kind']>(request: Q & { kind: K }): Promise<Outcome<A[K]>> {
    const mine = this.#turn.then(() => this.#serve<K>(request));
    this.#turn = Promise.allSettled([mine]);
    return mine;
  }

  /** Ends the child; requests in work and waiting fail. */
  async close(): Promise<void> {
    this.#closed = true;
    const ended = [...this.#alive].map((child) => once(child, 'exit'));
    for (const child of this.#alive) {
      // An idle child alone would not keep whoever closes it waiting.
      child.ref();
      child.kill('SIGKILL');
    }
    await Promise.all(ended);
  }

  async #serve<K extends Q['kind']>(request: Q): Promise<Outcome<A[K]>> {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const child = this.#idle ?? (await this.#start());
      this.#idle = undefined;
      const outcome = await this.#ask<K>(child, request);
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

  async #ask<K extends Q['kind']>(child: ChildProcess, request: Q): Promise<Outcome<A[K]> | 'lost'> {
    child.ref();
    child.channel?.ref();
    const answered = nextReply(child, this.#settings.timeoutMillis + GRACE_MILLIS);
    child.send(request, (error) => {
      // A broken channel ends the child, which is what the answer then says.
      if (error) child.kill('SIGKILL');
    });
    const reply = await answered;
    if (reply !== 'lost' && reply !== 'late' && 'kind' in reply && reply.kind === 'done') {
      child.unref();
      child.channel?.unref();
      this.#idle = child;
      return { value: reply.value as A[K] };
    }
    child.kill('SIGKILL');
    if (reply === 'lost') return 'lost';
    if (reply === 'late') return { breach: 'time' };
    return { breach: 'breach' in reply ? reply.breach : 'crash' };
  }
}

/** The child's next message; a breach where it crashed, `lost` where it ended otherwise, `late` after the time given. */
function nextReply(child: ChildProcess, millis: number): Promise<Reply | 'lost' | 'late'> {
  return new Promise((resolve) => {
    const settle = (reply: Reply | 'lost' | 'late') => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      child.off('error', onError);
      resolve(reply);
    };
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
