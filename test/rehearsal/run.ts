import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The rehearsal cannot go on. The message is one sentence for the person who runs it. */
export class RehearsalError extends Error {}

/** How long a process may take to end by itself. */
const GRACE = 5_000;

/** Processes that run, each in a group of its own. */
const running = new Set<ChildProcess>();

/** Starts a program. It ends with {@link endAll}, if not before. */
export function start(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const child = spawn(command, args, { ...options, detached: true });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/**
 * Runs a program to its end and returns its output.
 *
 * @throws RehearsalError with the end of the output if the program fails
 */
export async function run(
  command: string,
  args: readonly string[],
  signal: AbortSignal,
  options: SpawnOptions = {},
): Promise<string> {
  signal.throwIfAborted();
  const child = start(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code]: unknown[] = await once(child, 'close', { signal });
  if (code === 0) return output;
  throw new RehearsalError(`${command} ${args.join(' ')} failed:\n${output.trim().slice(-2_000)}`);
}

/** Ends every process that was started here and still runs, with the processes that it started. */
export async function endAll(): Promise<void> {
  await Promise.all([...running].map(end));
}

async function end(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  signalGroup(child, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE);
  await closed;
  clearTimeout(timer);
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // The group has ended meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
