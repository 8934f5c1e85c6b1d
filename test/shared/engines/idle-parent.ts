import { childEngines } from '#shared/engines/child-engines.ts';

/** Entry of a process for tests. Runs the jq program of its first argument and then has nothing more to do. */
const engines = childEngines({ timeoutMillis: 2000 });
const work = engines.runJq([process.argv[2] ?? 'true'], '1');
process.send?.('working');
await work;
process.disconnect?.();
