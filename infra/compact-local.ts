import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '#shared/base/error-facts.ts';
import { type Compacted, compactDataDir } from './local/compact.ts';
import { StartError } from './local/start-error.ts';

/** `npm run compact-local`: removes what an erasure leaves in the data directory of a stopped local stack (local-stack.md#leave-nothing). */

const USAGE = `Usage: npm run compact-local -- [--data-dir DIR]

  --data-dir DIR  data directory of a local stack that does not run (default .local)`;

const OPTIONS = {
  'data-dir': { type: 'string', default: '.local' },
  help: { type: 'boolean', default: false },
} as const;

/** @throws StartError */
function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new StartError(`${messageOf(error)}\n\n${USAGE}`, error);
  }
}

function sentenceOf({ streamRecords, undelivered, history, uploads, mails }: Compacted, dataDir: string): string {
  const removed = [
    `${streamRecords} delivered records of the stream`,
    `${uploads} uploads`,
    ...(history ? ['the history of the table'] : []),
    ...(mails ? ['all mails'] : []),
  ];
  return [
    `Removed from ${dataDir}: ${removed.join(', ')}. The database files have no free pages`,
    ...(undelivered > 0
      ? [
          `${undelivered} records of the stream are not delivered yet. Start the stack, stop it after some seconds, and repeat the command`,
        ]
      : []),
  ].join('. ');
}

async function main(): Promise<number> {
  try {
    const { help, 'data-dir': dataDir } = readArguments(process.argv.slice(2));
    if (help) {
      console.log(USAGE);
      return 0;
    }
    const compacted = await compactDataDir(resolve(dataDir));
    console.log(sentenceOf(compacted, resolve(dataDir)));
    return compacted.undelivered === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.error(error.message);
    return 1;
  }
}

process.exitCode = await main();
