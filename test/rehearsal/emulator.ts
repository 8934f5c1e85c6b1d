import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { start } from './run.ts';

/** The region of the rehearsed stage. */
export const REGION = 'eu-central-1';

/** The account of the emulator. */
export const ACCOUNT = '123456789012';

const Answer = z.union([
  z.strictObject({ result: z.unknown() }),
  z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) }),
]);

/** A service refused a call. */
export class ServiceError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A running emulator (`emulator/main.py`). It ends when its input ends. */
export class Emulator {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #signal: AbortSignal;
  /** The end of what the process printed about its errors. */
  #errors = '';
  /** Calls wait for each other: answers come in the order of the calls. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(process: ChildProcess, lines: AsyncIterator<string>, signal: AbortSignal) {
    this.#process = process;
    this.#lines = lines;
    this.#signal = signal;
  }

  /**
   * Starts an emulator without resources.
   *
   * @param python the Python of an environment with the emulator
   * @param folder where a file of settings is written
   * @param fixed for each type of resource, the properties whose change makes a new resource
   */
  static async start(
    python: string,
    folder: string,
    fixed: Readonly<Record<string, readonly string[]>>,
    signal: AbortSignal,
  ): Promise<Emulator> {
    const settings = join(folder, 'fixed-properties.json');
    writeFileSync(settings, JSON.stringify(fixed));
    // `-B`: nothing is written beside the sources.
    const args = ['-B', '-W', 'ignore', join(import.meta.dirname, 'emulator', 'main.py'), settings];
    const process = start(python, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    if (!process.stdout) throw new Error('The emulator has no output');
    const lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
    const emulator = new Emulator(process, lines, signal);
    process.stderr?.on('data', (chunk: Buffer) => {
      emulator.#errors = `${emulator.#errors}${chunk.toString()}`.slice(-4_000);
    });
    const first = await emulator.#nextLine();
    if (first === undefined) throw new Error(`The emulator did not start:\n${emulator.#errors}`);
    return emulator;
  }

  /**
   * Calls an operation of a service with the names of boto3.
   *
   * @throws ServiceError if the service refuses the call
   */
  call<T>(
    schema: z.ZodType<T>,
    service: string,
    operation: string,
    parameters: Readonly<Record<string, unknown>> = {},
  ): Promise<T> {
    const call = this.#last.then(() => this.#ask({ region: REGION, service, operation, parameters }));
    // The caller gets the error. The next call only waits for the end of this one.
    this.#last = call.catch(() => undefined);
    return call.then((result) => schema.parse(result));
  }

  /** Removes everything that the emulator holds. */
  async reset(): Promise<void> {
    await this.call(z.null(), '', 'reset');
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const closed = once(this.#process, 'close');
    this.#process.stdin?.end();
    await closed;
  }

  async #ask(request: object): Promise<unknown> {
    this.#signal.throwIfAborted();
    this.#process.stdin?.write(`${JSON.stringify(request)}\n`);
    const line = await this.#nextLine();
    if (line === undefined) throw new Error('The emulator ended');
    const answer = Answer.parse(JSON.parse(line));
    if (!('error' in answer)) return answer.result;
    const { code, message } = answer.error;
    // The emulator itself failed. Its answer does not say why.
    const why = message.includes('Internal Server Error') ? `\n${this.#errors}` : '';
    throw new ServiceError(code, `${message}${why}`);
  }

  async #nextLine(): Promise<string | undefined> {
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(this.#signal.reason);
    this.#signal.addEventListener('abort', abort);
    try {
      const { value, done } = await Promise.race([this.#lines.next(), aborted.promise]);
      return done ? undefined : value;
    } finally {
      this.#signal.removeEventListener('abort', abort);
    }
  }
}
