import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { argv, exit, stdout } from 'node:process';
import type { Context } from 'aws-lambda';
import { runtimeConsole } from './runtime-console.ts';

/**
 * The program of a child process that runs one bundled function. It loads `index.js` of the folder in its argument and
 * calls the handler for every message. It exits when its parent process ends. The console of the function writes as in a
 * region.
 */

/** A call of a function, as it is sent to the function's process. */
export interface Invocation {
  id: number;
  event: unknown;
  /** Time at which the call must have ended, in milliseconds since the epoch. */
  deadline: number;
}

export type Outcome = { id: number; ok: true; result?: unknown } | { id: number; ok: false; error: string };

/** The id of the call that runs. */
const currentCall = new AsyncLocalStorage<string>();
Object.assign(
  console,
  runtimeConsole(
    () => currentCall.getStore(),
    (line) => void stdout.write(line),
  ),
);

const [, , folder = ''] = argv;
// The bundle of every function exports a handler.
const { handler } = createRequire(import.meta.url)(join(folder, 'index.js')) as {
  handler: (event: unknown, context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>) => Promise<unknown>;
};

async function run({ id, event, deadline }: Invocation): Promise<Outcome> {
  const awsRequestId = String(id);
  const context = { awsRequestId, getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()) };
  try {
    return { id, ok: true, result: await currentCall.run(awsRequestId, () => handler(event, context)) };
  } catch (error) {
    return { id, ok: false, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

// A terminal sends Ctrl-C to this process too. The stack decides when functions end: after the parts that call them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => exit(0));
process.on('message', (invocation: Invocation) => {
  // run() turns errors of the handler into outcomes. Any other error ends the process.
  void run(invocation).then((outcome) => process.send?.(outcome));
});
