import { once } from 'node:events';
import process from 'node:process';
import { isMainThread, Worker } from 'node:worker_threads';

/** `npm run verify`, and the verifier as one file: verifies evidence without the service (rules/verification.md). */

/** How much memory new objects may take, in MB. With the limit that Node chooses, a large export takes half as much again. */
const YOUNG_MEGABYTES = 24;

/** Runs this program in a worker, because a program cannot limit its own memory. @returns the exit code */
async function runInWorker(argv: string[]): Promise<number> {
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MEGABYTES };
  const [code] = await once(new Worker(new URL(import.meta.url), { argv, resourceLimits }), 'exit');
  return code;
}

const args = process.argv.slice(2);
// The first thread loads nothing of the verifier.
process.exitCode = isMainThread ? await runInWorker(args) : await (await import('./command.ts')).runCommand(args);
