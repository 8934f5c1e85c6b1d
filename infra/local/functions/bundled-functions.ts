import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StageLimits } from '#shared/callers/request-limits.ts';
import { SIGNATURES_PER_SECOND } from '#shared/log/rules/signature-line.ts';
import {
  DELIVERIES_QUEUE,
  EVALUATIONS_QUEUE,
  EXPANSIONS_QUEUE,
  EXPORTS_QUEUE,
  LOG_ENTRIES_QUEUE,
  type QueueDefinition,
  VISITS_QUEUE,
} from '#shared/queues/queue-definition.ts';
import {
  bundleService,
  ENGINE_GROUPS,
  ENGINES_FOLDER,
  NODE_OPTIONS,
  POLICIES_FOLDER,
  POLICY_FUNCTIONS,
} from '../../bundles/bundle.ts';
import { unpack } from '../../bundles/unpack.ts';
import { releaseSettings } from '../../release/source-release.ts';
import type { OnRecords } from '../events/event-source.ts';
import type { OnMessages, QueueName } from '../events/queues.ts';
import type { Endpoints } from '../faults/fault-endpoints.ts';
import type { FunctionHandler } from '../gateway/gateway.ts';
import { functionAccessKeyId, LOCAL } from '../settings.ts';
import type { LocalWitness } from '../stack-options.ts';
import { Containers } from './containers.ts';
import { FunctionProcess } from './function-process.ts';
import { ProcessWatch } from './process-watch.ts';

const API_MILLIS = 29_000;
const RELAY_MILLIS = 60_000;
const INTEGRATOR_MILLIS = LOG_ENTRIES_QUEUE.timeout * 1000;
const OPERATOR_MILLIS = 15 * 60_000;

/** Addresses that functions get as settings. */
interface FunctionAddresses {
  endpoints: Endpoints & { mail: string };
  tableName: string;
  /** Returns the address of a queue. */
  queueUrl: (name: QueueName) => string;
  allowedNetworks: readonly string[];
  witness: LocalWitness;
  signIn: { issuer: string; clientId: string } | undefined;
  limits: StageLimits | undefined;
}

/**
 * All functions, run from their bundles and not from the sources (`npm start -- --bundles`). They get all settings through
 * their environment, as in a region.
 */
export class BundledFunctions {
  readonly #functions: ReadonlyMap<string, FunctionProcess | Containers>;
  readonly #watch: ProcessWatch | undefined;
  #addresses: FunctionAddresses | undefined;
  /** Scheme and authority of the API, for addresses in notifications. It is set as soon as the gateway listens. */
  publicUrl = '';

  private constructor(folder: string, names: readonly string[], containers: number | undefined) {
    const watch = containers === undefined ? undefined : new ProcessWatch();
    const made = (name: string) => {
      const own = join(folder, name);
      const environment = () => this.#environmentOf(name, own);
      return containers === undefined || !watch
        ? new FunctionProcess(own, environment)
        : new Containers(own, environment, { count: containers, watch });
    };
    this.#watch = watch;
    this.#functions = new Map(names.map((name) => [name, made(name)]));
  }

  /**
   * Bundles all functions and unpacks them to `<folder>/<name>/`. Removes the files of an earlier start.
   *
   * @param containers most processes of each function; without it, each function has one process for all calls
   */
  static async create(folder: string, containers?: number): Promise<BundledFunctions> {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    // Without it, Node would take the type of modules from a folder above, such as that of this project.
    writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}\n');
    const bundles = await bundleService(folder);
    for (const { name, zip } of bundles) unpack(zip, join(folder, name));
    return new BundledFunctions(
      folder,
      bundles.map(({ name }) => name),
      containers,
    );
  }

  /** Sets the addresses. It must be called before the first call of a function. */
  configure(addresses: FunctionAddresses): void {
    this.#addresses = addresses;
  }

  handlerOf(name: string): FunctionHandler {
    return (event) => this.#invoke(name, event, API_MILLIS);
  }

  readonly operate = (command: unknown): Promise<unknown> => this.#invoke('operator', command, OPERATOR_MILLIS);

  readonly relay: OnRecords = (event) => this.#invoke('relay', event, RELAY_MILLIS);

  readonly notify = this.#onMessages('notifier', DELIVERIES_QUEUE);
  readonly expand = this.#onMessages('expander', EXPANSIONS_QUEUE);
  readonly evaluate = this.#onMessages('evaluator', EVALUATIONS_QUEUE);
  readonly integrate = this.#onMessages('integrator', LOG_ENTRIES_QUEUE);
  readonly export = this.#onMessages('exporter', EXPORTS_QUEUE);
  readonly visit = this.#onMessages('relay', VISITS_QUEUE);

  /** The schedules of a region: how often they call relay and integrator, and with which event. */
  readonly schedules = [
    { everySeconds: 60, run: () => this.#invoke('relay', { sweep: 'due' }, RELAY_MILLIS) },
    { everySeconds: 300, run: () => this.#invoke('relay', { source: 'aws.events' }, RELAY_MILLIS) },
    { everySeconds: 300, run: () => this.#invoke('integrator', { sweep: 'logs' }, INTEGRATOR_MILLIS) },
  ];

  async stop(): Promise<void> {
    await Promise.all([...this.#functions.values()].map((one) => one.stop()));
    await this.#watch?.stop();
  }

  #onMessages(name: string, { timeout }: QueueDefinition): OnMessages {
    return (event) => this.#invoke(name, event, timeout * 1000);
  }

  #invoke<Answer>(name: string, event: unknown, millis: number): Promise<Answer> {
    const process = this.#functions.get(name);
    if (!process) throw new Error(`There is no function ${name}`);
    // The answer comes from another process as JSON. Each function answers as its entry in `functions` says.
    return process.invoke(event, millis) as Promise<Answer>;
  }

  #environmentOf(name: string, folder: string): Record<string, string> {
    if (!this.#addresses) throw new Error('configure() was not called before the first call of a function');
    const { endpoints, tableName, queueUrl, allowedNetworks, witness, signIn, limits } = this.#addresses;
    return {
      ...releaseSettings(),
      TABLE_NAME: tableName,
      BUCKET_NAME: LOCAL.bucketName,
      DELIVERIES_URL: queueUrl('deliveries'),
      EXPANSIONS_URL: queueUrl('expansions'),
      EVALUATIONS_URL: queueUrl('evaluations'),
      LOG_ENTRIES_URL: queueUrl('log-entries'),
      EXPORTS_URL: queueUrl('exports'),
      VISITS_URL: queueUrl('visits'),
      LOG_DOMAIN: LOCAL.logDomain,
      LOG_KEY_ID: 'log',
      SIGNATURES_PER_SECOND: `${SIGNATURES_PER_SECOND}`,
      WITNESS_KEY_ID: 'witness',
      STATEMENT_KEY_ID: 'statement',
      ...(limits && { REQUEST_LIMITS: JSON.stringify(limits) }),
      ...(witness.policy !== undefined && { WITNESS_POLICY: witness.policy }),
      ...(witness.seconds !== undefined && { WITNESS_SECONDS: `${witness.seconds}` }),
      ...(witness.logs !== undefined && { WITNESS_LOGS: witness.logs }),
      ...(signIn && { SIGN_IN_ISSUER: signIn.issuer, SIGN_IN_CLIENT_ID: signIn.clientId }),
      PUBLIC_URL: this.publicUrl,
      MAIL_SENDER: LOCAL.mailSender,
      ALLOWED_NETWORKS: allowedNetworks.join(','),
      ...(NODE_OPTIONS[name] !== undefined && { NODE_OPTIONS: NODE_OPTIONS[name] }),
      ...(ENGINE_GROUPS.has(name) && { ENGINES_PATH: join(folder, ENGINES_FOLDER) }),
      ...(POLICY_FUNCTIONS.has(name) && { POLICIES_PATH: join(folder, POLICIES_FOLDER) }),
      AWS_REGION: LOCAL.region,
      AWS_ACCESS_KEY_ID: functionAccessKeyId(name),
      AWS_SECRET_ACCESS_KEY: LOCAL.credentials.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
      AWS_ENDPOINT_URL_S3: endpoints.s3,
      AWS_ENDPOINT_URL_SQS: endpoints.sqs,
      AWS_ENDPOINT_URL_SESV2: endpoints.mail,
      AWS_ENDPOINT_URL_KMS: endpoints.kms,
    };
  }
}
