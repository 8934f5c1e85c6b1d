import { childEngines } from '#shared/engines/child-engines.ts';

/** A process of its own for tests: runs the program given, and ends when nothing holds it. */
const engines = childEngines({ timeoutMillis: 2000 });
const work = engines.runJq([process.argv[2] ?? 'true'], '1');
process.send?.('working');
await work;
process.disconnect?.();
