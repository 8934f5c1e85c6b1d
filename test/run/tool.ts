import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname, join } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The exit code of a check that needs a program which is not installed. */
export const NOT_RUN = 77;

const { PATH = '' } = env;

const running = new Set<ChildProcess>();
let interrupted: NodeJS.Signals | undefined;

/** A signal ended the run: nothing more is started. */
export class Interrupted extends Error {}

/** Passes a stop of this process on to the tools that run, and to the processes that they started. */
export function stopOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interrupted = signal;
      for (const child of running) signalGroup(child, 'SIGTERM');
    });
  }
}

/**
 * Runs a tool of the project's packages in a process group of its own, so that a signal reaches all of its processes
 * once. The tool runs with the Node of this process.
 *
 * @param output shown as it comes, or collected
 * @param options `root`: the folder of the project; `cwd`: the folder to run in, if another; `environment`: variables that the tool has besides those of this process
 * @throws Interrupted when this process received a signal to stop meanwhile
 */
export async function runTool(
  tool: string,
  args: readonly string[],
  output: 'show' | 'collect',
  {
    root = ROOT,
    cwd = root,
    environment = {},
  }: { root?: string; cwd?: string; environment?: Readonly<Record<string, string>> } = {},
): Promise<{ code: number; output: string }> {
  if (interrupted) throw new Interrupted(`Stopped by ${interrupted}.`);
  const stream = output === 'show' ? 'inherit' : 'pipe';
  const child = spawn(join(root, 'node_modules', '.bin', tool), args, {
    cwd,
    env: { ...env, PATH: `${dirname(process.execPath)}${delimiter}${PATH}`, ...environment },
    detached: true,
    stdio: ['ignore', stream, stream],
  });
  running.add(child);
  let text = '';
  for (const source of [child.stdout, child.stderr]) {
    source?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (interrupted) {
      signalGroup(child, 'SIGKILL');
      throw new Interrupted(`Stopped by ${interrupted}.`);
    }
    return { code: code ?? 1, output: text };
  } finally {
    running.delete(child);
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // All of them have ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
