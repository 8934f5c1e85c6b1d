import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(ROOT, 'infra/local/main.ts');
/** Making the archives of all functions takes a busy machine more than a minute. */
const START_MILLIS = 180_000;

export interface Exit {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface StackFile {
  url: string;
  operator: string;
  endpoints: { dynamodb: string; s3: string; sqs: string };
  pid: number;
}

/** A local stack in processes of its own, as `npm start` makes it. */
export class StackProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #dataDir: string;
  #stdout = '';
  #stderr = '';

  constructor(child: ChildProcess, dataDir: string) {
    this.#child = child;
    this.#dataDir = dataDir;
    this.#exited = once(child, 'close');
    child.stdout?.on('data', (chunk: Buffer) => {
      this.#stdout += chunk.toString();
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString();
    });
  }

  /** Waits until the stack can be used. */
  async ready(): Promise<StackFile> {
    const deadline = Date.now() + START_MILLIS;
    while (!this.#stdout.includes('Ctrl-C stops it.')) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null || Date.now() > deadline) {
        throw new Error(`The stack did not start: ${this.#stderr || this.#stdout}`);
      }
      await sleep(50);
    }
    return JSON.parse(readFileSync(join(this.#dataDir, 'stack.json'), 'utf8')) as StackFile;
  }

  get stdout(): string {
    return this.#stdout;
  }

  /** Sends a signal to everything in the terminal's foreground, as Ctrl-C does. */
  signalAll(signal: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
  }

  async exit(): Promise<Exit> {
    await this.#exited;
    return { code: this.#child.exitCode, stdout: this.#stdout, stderr: this.#stderr };
  }
}

/** A directory for a stack's data, gone when the test is over. */
export function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'stack-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** `npm start` on a free port, for tests about that; whatever is left of it when the test is over is ended. */
export function npmStart(dataDir: string, ...args: string[]): StackProcess {
  const stack = spawnOn(dataDir, 'npm', ['start', '--', ...args]);
  onTestFinished(() => endStack(stack, dataDir));
  return stack;
}

/** As `npmStart`, but the serving process alone, which starts sooner. */
export function nodeStart(dataDir: string, ...args: string[]): StackProcess {
  const stack = spawnStack(dataDir, ...args);
  onTestFinished(() => endStack(stack, dataDir));
  return stack;
}

/** The serving process, for stacks that live longer than one test: `endStack` is the caller's duty. */
export const spawnStack = (dataDir: string, ...args: string[]): StackProcess =>
  spawnOn(dataDir, process.execPath, [MAIN, ...args]);

function spawnOn(dataDir: string, command: string, args: string[]): StackProcess {
  // The stack itself takes a free port: one that was found before could be taken by then.
  const all = [...args, '--port', '0', '--data-dir', dataDir];
  const child = spawn(command, all, { cwd: ROOT, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const stack = new StackProcess(child, dataDir);
  if (process.listenerCount('disconnect') === 0) endWithTests();
  running.add(stack);
  child.on('close', () => running.delete(stack));
  return stack;
}

/** Ends a stack at once, and waits until nothing of it is left. */
export async function endStack(stack: StackProcess, dataDir: string): Promise<void> {
  stack.signalAll('SIGKILL');
  await stack.exit();
  await untilGone(dataDir);
}

/** Stacks that run now. They have process groups of their own, so that a signal to the tests does not reach them. */
const running = new Set<StackProcess>();

/** Ends all stacks with the process that runs the tests. */
function endWithTests(): void {
  process.on('exit', () => {
    for (const stack of running) stack.signalAll('SIGKILL');
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));
  process.on('disconnect', () => process.exit(1));
}

/** The entry point alone, for starts that are refused. */
export async function run(args: string[], environment: NodeJS.ProcessEnv = {}): Promise<Exit> {
  const { NODE_COMPILE_CACHE } = env;
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: ROOT,
    env: { NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new StackProcess(child, '').exit();
}

/** Processes that were started for a data directory and are still there. */
export function processesOf(dataDir: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandLine)
    .filter((line) => line.includes(dataDir));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch (error) {
    // It ended while the list was read.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

async function untilGone(dataDir: string): Promise<void> {
  while (processesOf(dataDir).length > 0) await sleep(50);
}
