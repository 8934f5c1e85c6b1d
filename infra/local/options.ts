import { parseArgs } from 'node:util';
import { type Disturbance, throttling } from './faults/fault-endpoints.ts';
import { StartError } from './start-error.ts';

export interface Options {
  port: number;
  /** Address that links, redirects and statements begin with; undefined for that of the gateway. */
  url: string | undefined;
  /** Directory of all data; undefined if the data are kept in memory. */
  dataDir: string | undefined;
  seedFile: string | undefined;
  /** Whether the first start loads demo data. */
  demo: boolean;
  /** Whether functions run from the bundles and not from the sources. */
  bundles: boolean;
  /** Most processes per function; undefined for one process that runs all calls. */
  containers: number | undefined;
  /** Whether notifications may be sent to this machine. */
  allowLocalTargets: boolean;
  /** File with the policy of the witnesses that cosign the logs; undefined if none do. */
  witnessPolicyFile: string | undefined;
  /** Keys of the logs that the witness of this stack cosigns. */
  witnessedLogs: string | undefined;
  /** Identity provider that people sign in with; undefined if there is none. */
  signIn: { issuer: string; clientId: string } | undefined;
  /** Address of a local database that already runs; undefined if the stack starts its own. */
  database: string | undefined;
  /** How long a message is hidden after a function received it, in milliseconds; undefined for the default. */
  visibilityMillis: number | undefined;
  /** Delays and faults of calls; undefined if calls are not disturbed. */
  disturbance: Disturbance | undefined;
  help: boolean;
}

export const USAGE = `Usage: npm start -- [options]

  --port N        port of the API (default 8001, or the variable PORT)
  --url URL       address that callers use, if another program passes their requests on: links, redirects and statements
                  begin with it (default http://localhost:PORT)
  --data-dir DIR  directory of all data (default .local/)
  --ephemeral     keep all data in memory; they are lost when the stack stops
  --seed FILE     load organizations, members and keys from a JSON file instead of the demo organization
  --no-demo       leave out the demo data, which the first start loads without --seed and --bundles
  --bundles       run the functions from their bundles, as in a region, and not from the sources
  --containers N  run each function in up to N processes that are frozen between calls and end now and then;
                  implies --bundles
  --allow-local-targets
                  allow targets of notifications and issuers of tokens on this machine, also over plain http
  --witness-policy FILE
                  ask the witnesses of a policy file to cosign the logs of this stack
  --witness-log KEY
                  cosign the logs of this key, which GET /witness of their stack shows; may be repeated
  --sign-in-issuer URL, --sign-in-client ID
                  let people sign in at this identity provider, as a client without a secret; a provider on this machine
                  also needs --allow-local-targets
  --database URL  use the local database at this address and do not start one
  --visibility-ms N
                  deliver a message whose function failed again after N milliseconds (default 20000)
  --latency-ms N  add N milliseconds to every call of the database, the bucket, the queues and the key server
  --throttle SHARE
                  refuse this share of these calls because the service is busy (0 to 1, such as 0.05)
  --help          show this text
`;

const DEFAULT_PORT = 8001;
/** Each process takes about 60 MB, and there are more than twenty functions. */
const MOST_CONTAINERS = 16;
const DEFAULT_DATA_DIR = '.local';

/**
 * Returns the options of a start. The command line wins over the environment.
 *
 * @throws StartError for unknown options, wrong values and contradictions
 */
export function parseOptions(args: readonly string[], environment: Record<string, string | undefined>): Options {
  const {
    port,
    url,
    ephemeral,
    help,
    seed,
    'no-demo': noDemo,
    bundles,
    containers,
    'data-dir': dataDir,
    'allow-local-targets': allowLocalTargets,
    'witness-policy': witnessPolicy,
    'witness-log': witnessLogs,
    'sign-in-issuer': issuer,
    'sign-in-client': clientId,
    database,
    'visibility-ms': visibility,
    'latency-ms': latency,
    throttle,
  } = parseFlags(args);
  if (ephemeral && dataDir !== undefined) throw new StartError('--ephemeral and --data-dir contradict each other.');
  if (dataDir === '') throw new StartError('--data-dir needs the name of a directory.');
  if (seed === '') throw new StartError('--seed needs the name of a file.');
  return {
    port:
      port !== undefined ? portNumber(port, '--port') : portNumber(environment['PORT'] || `${DEFAULT_PORT}`, 'PORT'),
    url: url === undefined ? undefined : callersAddress(url),
    dataDir: ephemeral ? undefined : (dataDir ?? DEFAULT_DATA_DIR),
    seedFile: seed,
    demo: !noDemo && seed === undefined && !bundles && containers === undefined,
    bundles: bundles || containers !== undefined,
    containers: containers === undefined ? undefined : containersOf(containers),
    allowLocalTargets,
    witnessPolicyFile: witnessPolicy,
    witnessedLogs: witnessLogs?.join(' '),
    signIn: signInOf(issuer, clientId),
    database: database === undefined ? undefined : databaseAddress(database),
    visibilityMillis: visibility === undefined ? undefined : visibilityOf(visibility),
    disturbance: disturbanceOf(latency, throttle),
    help,
  };
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        url: { type: 'string' },
        'data-dir': { type: 'string' },
        ephemeral: { type: 'boolean', default: false },
        seed: { type: 'string' },
        'no-demo': { type: 'boolean', default: false },
        bundles: { type: 'boolean', default: false },
        containers: { type: 'string' },
        'allow-local-targets': { type: 'boolean', default: false },
        'witness-policy': { type: 'string' },
        'witness-log': { type: 'string', multiple: true },
        'sign-in-issuer': { type: 'string' },
        'sign-in-client': { type: 'string' },
        database: { type: 'string' },
        'visibility-ms': { type: 'string' },
        'latency-ms': { type: 'string' },
        throttle: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    // The message of the parser can have several lines; the first sentence says what is wrong.
    const [sentence] = (error as Error).message.split(/\. |\n/);
    throw new StartError(`${sentence}. See npm start -- --help.`, error);
  }
}

function portNumber(text: string, source: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new StartError(`${source} must be a port number from 0 to 65535; it is "${text}".`);
}

function signInOf(issuer: string | undefined, clientId: string | undefined): Options['signIn'] {
  if (issuer === undefined && clientId === undefined) return undefined;
  if (!issuer || !clientId) throw new StartError('--sign-in-issuer and --sign-in-client belong together.');
  if (URL.canParse(issuer) && /^https?:$/.test(new URL(issuer).protocol)) return { issuer, clientId };
  throw new StartError(`--sign-in-issuer must be an http or https address; it is "${issuer}".`);
}

function callersAddress(text: string): string {
  const { protocol, origin, href } = URL.canParse(text) ? new URL(text) : { protocol: '', origin: '', href: '' };
  if (/^https?:$/.test(protocol) && href === `${origin}/`) return origin;
  throw new StartError(
    `--url must be a scheme and an authority such as https://evidence.example:8443; it is "${text}".`,
  );
}

function databaseAddress(text: string): string {
  if (URL.canParse(text) && new URL(text).protocol === 'http:') return new URL(text).origin;
  throw new StartError(`--database must be an http address such as http://127.0.0.1:8000; it is "${text}".`);
}

function containersOf(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MOST_CONTAINERS) return count;
  throw new StartError(`--containers must be a number from 1 to ${MOST_CONTAINERS}; it is "${text}".`);
}

/** The queue service counts whole seconds. */
function visibilityOf(text: string): number {
  const millis = Number(text);
  if (/^\d+$/.test(text) && millis >= 1_000 && millis % 1_000 === 0 && millis <= 43_200_000) return millis;
  throw new StartError(
    `--visibility-ms must be a whole number of seconds, from 1000 to 43200000 milliseconds; it is "${text}".`,
  );
}

function disturbanceOf(latency: string | undefined, throttle: string | undefined): Disturbance | undefined {
  if (latency === undefined && throttle === undefined) return undefined;
  return {
    ...(latency !== undefined && { latencyMillis: latencyOf(latency) }),
    ...(throttle !== undefined && { decide: throttling(shareOf(throttle)) }),
  };
}

/** The longest time limit of a call is 6 seconds: every call with a longer latency would fail. */
function latencyOf(text: string): number {
  const millis = Number(text);
  if (/^\d+$/.test(text) && millis <= 5_000) return millis;
  throw new StartError(`--latency-ms must be a whole number of milliseconds from 0 to 5000; it is "${text}".`);
}

function shareOf(text: string): number {
  const share = Number(text);
  if (/^[\d.]+$/.test(text) && share <= 1) return share;
  throw new StartError(`--throttle must be a number from 0 to 1, such as 0.05; it is "${text}".`);
}
