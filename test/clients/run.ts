import { spawnSync } from 'node:child_process';
import { env as own } from 'node:process';

/** Most bytes that a program may print. */
const MOST_PRINTED = 64 * 1024 * 1024;

/** Returns whether a program is installed. */
export const isInstalled = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args.length > 0 ? args : ['--version']).status === 0;

/**
 * Runs a program to its end.
 *
 * @returns what it printed
 * @throws Error with what it printed, if it ended with another code than 0
 */
export function run(cwd: string, [program = '', ...args]: readonly string[], env: Record<string, string> = {}): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env: { ...own, ...env },
    encoding: 'utf8',
    maxBuffer: MOST_PRINTED,
  });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`, { cause: error });
}
