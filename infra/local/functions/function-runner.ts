import { createRequire } from 'node:module';
import { join } from 'node:path';
import { argv, exit } from 'node:process';
import type { Context } from 'aws-lambda';
import type { Invocation, Outcome } from './function-process.ts';

/**
 * The process of one bundled function: loads `index.js` of the folder that it is given, as the platform does, and calls
 * its handler for every message. It ends with the process that started it.
 */

const [, , folder = ''] = argv;
const { handler } = createRequire(import.meta.url)(join(folder, 'index.js')) as {
  handler: (event: unknown, context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>) => Promise<unknown>;
};

async function run({ id, event, deadline }: Invocation): Promise<Outcome> {
  const context = { awsRequestId: String(id), getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()) };
  try {
    return { id, ok: true, result: await handler(event, context) };
  } catch (error) {
    return { id, ok: false, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

// A terminal's Ctrl-C is for the stack, which ends its functions after those who call them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => exit(0));
process.on('message', (invocation: Invocation) => {
  // What a handler throws is an outcome; anything else is a fault that ends the process.
  void run(invocation).then((outcome) => process.send?.(outcome));
});
