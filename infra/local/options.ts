import { parseArgs } from 'node:util';
import { StartError } from './start-error.ts';

export interface Options {
  port: number;
  /** Where everything is kept; undefined when nothing is to be kept. */
  dataDir: string | undefined;
  seedFile: string | undefined;
  /** Whether functions run from the archives that would be deployed. */
  bundles: boolean;
  /** Whether notifications may be sent to this machine. */
  allowLocalTargets: boolean;
  help: boolean;
}

export const USAGE = `Usage: npm start -- [options]

  --port N        port of the API (default 8001, or the variable PORT)
  --data-dir DIR  where everything is kept (default .local/)
  --ephemeral     keep nothing: everything is gone at the end
  --seed FILE     load organizations, members and keys from a JSON file instead of the demo organization
  --bundles       run the functions from the archives that would be deployed, not from the sources
  --allow-local-targets
                  let notifications go to targets on this machine, over plain http too
  --help          show this text
`;

const DEFAULT_PORT = 8001;
const DEFAULT_DATA_DIR = '.local';

/**
 * The options of a start, from the command line first and the environment second.
 *
 * @throws StartError for what cannot be understood
 */
export function parseOptions(args: readonly string[], environment: Record<string, string | undefined>): Options {
  const {
    port,
    ephemeral,
    help,
    seed,
    bundles,
    'data-dir': dataDir,
    'allow-local-targets': allowLocalTargets,
  } = parsed(args);
  if (ephemeral && dataDir !== undefined) throw new StartError('--ephemeral and --data-dir contradict each other.');
  if (dataDir === '') throw new StartError('--data-dir needs the name of a directory.');
  if (seed === '') throw new StartError('--seed needs the name of a file.');
  return {
    port:
      port !== undefined ? portNumber(port, '--port') : portNumber(environment['PORT'] || `${DEFAULT_PORT}`, 'PORT'),
    dataDir: ephemeral ? undefined : (dataDir ?? DEFAULT_DATA_DIR),
    seedFile: seed,
    bundles,
    allowLocalTargets,
    help,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        'data-dir': { type: 'string' },
        ephemeral: { type: 'boolean', default: false },
        seed: { type: 'string' },
        bundles: { type: 'boolean', default: false },
        'allow-local-targets': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    // The parser's own text may run over several lines; its first sentence says what is wrong.
    const [sentence] = (error as Error).message.split(/\. |\n/);
    throw new StartError(`${sentence}. See npm start -- --help.`, error);
  }
}

function portNumber(text: string, source: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new StartError(`${source} must be a port number from 0 to 65535; it is "${text}".`);
}
