import { parseArgs } from 'node:util';
import { readLimit, type StageLimits } from '#shared/callers/request-limits.ts';
import { type Disturbance, throttling } from './faults/fault-endpoints.ts';
import type { StackSettings } from './stack-options.ts';
import { StartError } from './start-error.ts';

export interface Options extends StackSettings {
  seedFile: string | undefined;
  /** Whether the first start loads demo data. */
  demo: boolean;
  /** Whether notifications may be sent to this machine. */
  allowLocalTargets: boolean;
  /** File with the policy of the witnesses that cosign the logs; undefined if none do. */
  witnessPolicyFile: string | undefined;
  /** Keys of the logs that the witness of this stack cosigns. */
  witnessedLogs: string | undefined;
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
  --limit RATE/BURST
                  limit each organization and each key to so many requests a second and at once, such as 100/500, from the second
                  shared organization on
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
    limit,
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
    limits: limit === undefined ? undefined : limitsFrom(limit),
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
        limit: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    // The message of the parser can have several lines; the first sentence says what is wrong.
    const [sentence] = (error as Error).message.split(/\. |\n/);
    throw new StartError(`${sentence}. See npm start -- --help.`, error);
  }
}

const wrongValue = (option: string, text: string, must: string): StartError =>
  new StartError(`${option} must be ${must}; it is "${text}".`);

/** @throws StartError that says what the number must be */
function numberOf(
  option: string,
  text: string,
  must: string,
  isRight: (number: number) => boolean,
  form = /^\d+$/,
): number {
  const number = Number(text);
  if (form.test(text) && isRight(number)) return number;
  throw wrongValue(option, text, must);
}

const portNumber = (text: string, source: string): number =>
  numberOf(source, text, 'a port number from 0 to 65535', (port) => port <= 65_535);

function signInOf(issuer: string | undefined, clientId: string | undefined): Options['signIn'] {
  if (issuer === undefined && clientId === undefined) return undefined;
  if (!issuer || !clientId) throw new StartError('--sign-in-issuer and --sign-in-client belong together.');
  if (URL.canParse(issuer) && /^https?:$/.test(new URL(issuer).protocol)) return { issuer, clientId };
  throw wrongValue('--sign-in-issuer', issuer, 'an http or https address');
}

function callersAddress(text: string): string {
  const { protocol, origin, href } = URL.canParse(text) ? new URL(text) : { protocol: '', origin: '', href: '' };
  if (/^https?:$/.test(protocol) && href === `${origin}/`) return origin;
  throw wrongValue('--url', text, 'a scheme and an authority such as https://evidence.example:8443');
}

function databaseAddress(text: string): string {
  if (URL.canParse(text) && new URL(text).protocol === 'http:') return new URL(text).origin;
  throw wrongValue('--database', text, 'an http address such as http://127.0.0.1:8000');
}

function containersOf(text: string): number {
  const must = `a number from 1 to ${MOST_CONTAINERS}`;
  return numberOf('--containers', text, must, (count) => count >= 1 && count <= MOST_CONTAINERS);
}

/** The queue service counts whole seconds. */
function visibilityOf(text: string): number {
  const must = 'a whole number of seconds, from 1000 to 43200000 milliseconds';
  const isRight = (millis: number) => millis >= 1_000 && millis % 1_000 === 0 && millis <= 43_200_000;
  return numberOf('--visibility-ms', text, must, isRight);
}

function disturbanceOf(latency: string | undefined, throttle: string | undefined): Disturbance | undefined {
  if (latency === undefined && throttle === undefined) return undefined;
  return {
    ...(latency !== undefined && { latencyMillis: latencyOf(latency) }),
    ...(throttle !== undefined && { decide: throttling(shareOf(throttle)) }),
  };
}

/** The longest time limit of a call is 6 seconds: every call with a longer latency would fail. */
const latencyOf = (text: string): number =>
  numberOf('--latency-ms', text, 'a whole number of milliseconds from 0 to 5000', (millis) => millis <= 5_000);

const shareOf = (text: string): number =>
  numberOf('--throttle', text, 'a number from 0 to 1, such as 0.05', (share) => share <= 1, /^[\d.]+$/);

/** One limit for everything. */
function limitsFrom(text: string): StageLimits {
  const limit = readLimit(text);
  if (!limit) throw new StartError('--limit needs requests in a second and at once, such as 100/500.');
  const both = { requests: limit, writes: limit };
  return { stage: limit, organization: both, key: both };
}
