import { env } from 'node:process';
import { releaseSettings } from '../release/source-release.ts';
import { untilEndIsAsked } from './end-signals.ts';
import { parseOptions, USAGE } from './options.ts';
import { StartError } from './start-error.ts';

/** `npm start`: runs the whole service on this machine until Ctrl-C. */
async function main(): Promise<number> {
  // Signals are handled from the beginning, so that Ctrl-C during the start also stops everything.
  const endAsked = untilEndIsAsked(env);
  try {
    const options = parseOptions(process.argv.slice(2), env);
    if (options.help) {
      process.stdout.write(USAGE);
      return 0;
    }
    // Functions that run in this process read their release as in a region.
    Object.assign(env, releaseSettings());
    // The stack is loaded only now, because loading it takes most of the time in which a wrong option is refused.
    const { runStack } = await import('./run-stack.ts');
    return await runStack(options, endAsked);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.error(error.message);
    return 1;
  }
}

process.exit(await main());
