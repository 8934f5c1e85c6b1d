import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { freePort } from '#infra/local/ports.ts';
import { startDynamoDb } from '#infra/local/storage/dynamodb.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(ROOT, 'infra/local/main.ts');
/** A start from bundles can take more than a minute on a busy machine. */
const START_MILLIS = 180_000;
const { STORY_BUNDLES } = env;
/** Runs every stack from the bundles, with the rights of each function enforced (docs/testing.md#stories-on-bundles). */
export const IS_ON_BUNDLES = Boolean(STORY_BUNDLES);
const BUNDLES = IS_ON_BUNDLES ? ['--bundles'] : [];
/** Node keeps the compiled sources here, so that each further start of a stack needs less processor time. */
const COMPILE_CACHE = join(tmpdir(), 'stack-compile-cache');

export interface Exit {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface StackFile {
  url: string;
  operator: string;
  /** Folder that mail is written to. */
  mail: string;
  endpoints: { dynamodb: string; s3: string; sqs: string };
  pid: number;
}

/** A local stack in its own processes, as `npm start` starts it. */
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

  /** The lines about calls that the rights of a function did not allow. */
  get refusedCalls(): string[] {
    return (this.#stdout + this.#stderr).match(/^User: .* is not authorized.*$/gm) ?? [];
  }

  /** Appends to a file what the stack has printed and what it will print. */
  logTo(file: string): void {
    appendFileSync(file, this.#stdout + this.#stderr);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => appendFileSync(file, chunk));
    }
  }

  /** Sends a signal to all processes of the stack's process group, as Ctrl-C in a terminal does. */
  signalAll(signal: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
  }

  /** Sends a signal to the process that was started, and to none of its children. */
  signalFirst(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async exit(): Promise<Exit> {
    await this.#exited;
    return { code: this.#child.exitCode, stdout: this.#stdout, stderr: this.#stderr };
  }
}

/** Creates a directory for a stack's data. It is removed when the test is over. */
export function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'stack-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Runs `npm start` on a free port. Its processes are ended when the test is over. */
export async function npmStart(dataDir: string, ...args: string[]): Promise<StackProcess> {
  const stack = await spawnOn(dataDir, 'npm', ['start', '--', ...args]);
  onTestFinished(() => endStack(stack, dataDir));
  return stack;
}

/** Runs `npm start` in a terminal of its own, which ends with the process that this function starts. */
export async function terminalStart(dataDir: string): Promise<StackProcess> {
  const command = `npm start -- --no-demo --port ${await freePort()} --data-dir '${dataDir}'`;
  const child = spawn('script', ['--quiet', '--flush', '--command', command, '/dev/null'], {
    cwd: ROOT,
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const stack = new StackProcess(child, dataDir);
  onTestFinished(() => endStack(stack, dataDir));
  return stack;
}

/** Starts a stack as `npmStart` does, but without npm. */
export async function nodeStart(dataDir: string, ...args: string[]): Promise<StackProcess> {
  const stack = await spawnStack(dataDir, ...args);
  onTestFinished(() => endStack(stack, dataDir));
  return stack;
}

/** Starts a database in memory that outlives the stacks of a test, so that a kill ends the serving process alone. */
export async function startDatabaseOfTest(): Promise<string> {
  const database = await startDynamoDb();
  onTestFinished(() => database.stop());
  return database.endpoint;
}

/** Starts a stack without npm for longer than one test. The caller must call `endStack`. */
export const spawnStack = (dataDir: string, ...args: string[]): Promise<StackProcess> =>
  spawnOn(dataDir, process.execPath, [MAIN, ...args]);

async function spawnOn(dataDir: string, command: string, args: string[]): Promise<StackProcess> {
  const port = args.includes('--port') ? [] : ['--port', `${await freePort()}`];
  // Filling the organization of the demo data takes more time than most tests.
  const all = [...args, ...BUNDLES, ...port, '--no-demo', '--data-dir', dataDir];
  return new StackProcess(
    spawn(command, all, {
      cwd: ROOT,
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
    dataDir,
  );
}

/**
 * Kills a stack, and waits until none of its processes runs.
 *
 * @throws Error if a function called what its rights do not allow
 */
export async function endStack(stack: StackProcess, dataDir: string): Promise<void> {
  stack.signalAll('SIGKILL');
  await stack.exit();
  killServer(dataDir);
  await untilGone(dataDir);
  const refused = stack.refusedCalls.slice(0, 5);
  if (refused.length > 0) throw new Error(`Functions called what their rights do not allow: ${refused.join('; ')}`);
}

/** Kills the serving process if it outlived the process that started it. A stack that stopped has removed its file. */
function killServer(dataDir: string): void {
  const file = join(dataDir, 'stack.json');
  if (!existsSync(file) || processesOf(dataDir).length === 0) return;
  const { pid } = JSON.parse(readFileSync(file, 'utf8')) as StackFile;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Runs the entry point until it exits, for starts that are refused. */
export async function run(args: string[], environment: NodeJS.ProcessEnv = {}): Promise<Exit> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: ROOT,
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new StackProcess(child, '').exit();
}

/** Returns the command lines of running processes that name a data directory. */
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
    // The process ended while the list was read.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

async function untilGone(dataDir: string): Promise<void> {
  while (processesOf(dataDir).length > 0) await sleep(50);
}
