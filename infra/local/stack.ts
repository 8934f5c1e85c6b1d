import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { groups } from '#functions/groups.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { readVerifier } from '#functions/read-verifier.ts';
import type { RelayServices } from '#functions/relay/services.ts';
import type { Services } from '#functions/services.ts';
import { handler as unknownRoute } from '#functions/unknown-route/index.ts';
import { ServiceError } from '#shared/base/errors.ts';
import { systemClock } from '#shared/base/time.ts';
import { childEngines } from '#shared/engines/child-engines.ts';
import { childPolicyEngine } from '#shared/evaluations/child-policy-engine.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { GuardedLogs } from '#shared/log/guarded-logs.ts';
import { indexOf } from '#shared/log/records/claims.ts';
import { CHECKPOINT_EVERY } from '#shared/log/rules/checkpoint-pace.ts';
import { SIGNATURES_PER_SECOND } from '#shared/log/rules/signature-line.ts';
import { parseWitnessPolicy } from '#shared/log/rules/witness-settings.ts';
import type { LogServices } from '#shared/log/services.ts';
import { SignatureTurns } from '#shared/log/signature-turns.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { RULE_KINDS } from '#shared/organizations/rules/sign-in.ts';
import { accessTokensOf } from '#shared/organizations/sign-in/access-tokens.ts';
import type { SignInProvider, SignInServices } from '#shared/organizations/sign-in/provider.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { Table } from '#shared/table/table.ts';
import { TableState } from '#shared/table/table-state.ts';
import { buildConsole } from '../bundles/console.ts';
import { buildVerifier } from '../bundles/verifier.ts';
import { startBackupEndpoint } from './backups/backup-endpoint.ts';
import { Backups, HISTORY_FOLDER } from './backups/backups.ts';
import { afterWrites, localDatabase, localExportFiles, localKeys, localObjects } from './clients.ts';
import { lockDataDir } from './data-lock.ts';
import { failureMessage } from './events/failure-message.ts';
import { ensureQueues, localQueue, type OnMessages, type QueueName, startConsumer } from './events/queues.ts';
import { RequestPauses } from './events/request-pauses.ts';
import { startStream } from './events/stream.ts';
import { startSweep } from './events/sweep.ts';
import { type Endpoints, startFaultEndpoints } from './faults/fault-endpoints.ts';
import { fileMailer } from './file-mailer.ts';
import { BundledFunctions } from './functions/bundled-functions.ts';
import { startGateway } from './gateway/gateway.ts';
import { readLiveTable } from './live-table.ts';
import { startOperatorListener } from './operator-listener.ts';
import { requirePort } from './ports.ts';
import { loadFunctionRights } from './rights/function-rights.ts';
import { type StopPart, startCheckedEndpoints, startServers } from './servers.ts';
import { LOCAL } from './settings.ts';
import type { LocalSchedule, LocalWitness, StackOptions } from './stack-options.ts';
import { StartError } from './start-error.ts';

export interface Stack {
  /** Address of the gateway: `http://localhost:8001`. */
  url: string;
  /** The servers themselves; calls to these addresses are not disturbed. */
  endpoints: Endpoints;
  /** Address that accepts operator commands. */
  operator: string;
  /** Folder that mail is written to, one file per mail. */
  mail: string;
  services: Services & RelayServices;
  /** Rejects if a part of the stack ends although `stop` was not called. */
  ended: Promise<void>;
  /** Stops all parts, in reverse order of their start. Further calls return the same promise. */
  stop(): Promise<void>;
}

/** File of the data directory with the addresses of the running stack. `npm run operator` reads it. */
const STACK_FILE = 'stack.json';

/**
 * Starts the whole service on this machine, with the functions and the table definition of a region.
 *
 * @throws StartError if something prevents the start; the parts that were started are then stopped
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stops: StopPart[] = [];
  const stopAll = async () => {
    const failures: unknown[] = [];
    for (let stop = stops.pop(); stop; stop = stops.pop()) {
      try {
        await stop();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Parts of the local stack failed to stop');
  };
  try {
    const parts = await startParts(options, stops);
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= stopAll();
      return stopped;
    };
    return { ...parts, stop };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/**
 * Functions that run in the process of the stack share one thread. Several calls at the same time would be no faster: each would have
 * a part of the records, and make as many calls of the database as one with all of them.
 */
const ONE_CALL = { settings: { parallel: 1 }, shards: { records: 2_000, most: 1 } };

async function startParts(options: StackOptions, stops: StopPart[]): Promise<Omit<Stack, 'stop'>> {
  const dataDir = options.dataDir === undefined ? undefined : resolve(options.dataDir);
  const inDataDir = (name: string) => (dataDir === undefined ? undefined : join(dataDir, name));
  await requirePort(options.port);
  if (dataDir !== undefined) stops.push(lockDataDir(dataDir));

  const tableName = readLiveTable(dataDir);
  const rights = options.bundles ? await loadFunctionRights(tableName) : undefined;
  await Promise.all([buildConsole(), buildVerifier()]);
  const storage = await startServers({ ...options, tableName }, inDataDir, stops, rights);
  const engines = childEngines();
  stops.push(() => engines.close());
  const policies = childPolicyEngine();
  stops.push(() => policies.close());
  const queues = await ensureQueues(storage.endpoints.sqs);
  const guard = addressGuard(options.allowedNetworks);
  const disturbed = options.disturbance && (await startFaultEndpoints(storage.endpoints, options.disturbance));
  if (disturbed) stops.push(disturbed.stop);
  const endpoints = disturbed?.endpoints ?? storage.endpoints;
  const queueOf = (name: QueueName) => localQueue(endpoints.sqs, endpoints.sqs + new URL(queues[name].url).pathname);
  let lastWrite = performance.now();
  const database = afterWrites(localDatabase(endpoints.dynamodb), () => {
    lastWrite = performance.now();
  });
  // The port may be any free one, so the address is known as soon as the gateway listens. No handler runs before.
  let address = options.url ?? '';
  const clock = options.clock ?? systemClock();
  const signIn = options.signIn && localSignIn(options.signIn);
  const services: Services & RelayServices & SignInServices = {
    table: new Table(database, tableName),
    objects: localObjects(endpoints.s3),
    engines,
    policies,
    clock,
    get address() {
      return address;
    },
    guard,
    principals: (table) => new Directory(table),
    deliveries: queueOf('deliveries'),
    expansions: queueOf('expansions'),
    evaluations: queueOf('evaluations'),
    logEntries: queueOf('log-entries'),
    exports: queueOf('exports'),
    visits: queueOf('visits'),
    keys: localKeys(endpoints.kms),
    origin: (org) => `${org}.${LOCAL.logDomain}`,
    logDomain: () => LOCAL.logDomain,
    entryIndex: indexOf,
    witness: { logs: options.witness?.logs ?? '', policy: options.witness?.policy },
    signIn,
    accessTokens: signIn && accessTokensOf(signIn, { guard, clock }),
    limits: options.limits,
  };
  const state = new TableState(services);
  if (!(await isClosed(state))) await options.seed?.(services);

  const mail = inDataDir('mail') ?? temporaryFolder(stops, 'mail-');
  const bundled = options.bundles
    ? await BundledFunctions.create(inDataDir('functions') ?? temporaryFolder(stops, 'functions-'), options.containers)
    : undefined;
  if (bundled && rights) {
    const { allowedNetworks = [], witness = {}, signIn, limits } = options;
    const checked = await startCheckedEndpoints(endpoints, rights, mail, stops);
    const queueUrl = (name: QueueName) => checked.sqs + new URL(queues[name].url).pathname;
    bundled.configure({ endpoints: checked, tableName, queueUrl, allowedNetworks, witness, signIn, limits });
    stops.push(() => bundled.stop());
  }

  const historyFolder = inDataDir(HISTORY_FOLDER);
  const backups = historyFolder === undefined ? undefined : new Backups(storage.endpoints.dynamodb, historyFolder);
  const backupEndpoint = backups && (await startBackupEndpoint(storage.endpoints.dynamodb, backups));
  if (backupEndpoint) stops.push(backupEndpoint.stop);
  const pauses = bundled ? undefined : new RequestPauses();
  const onRecords = bundled?.relay ?? options.relay?.(services);
  if (onRecords) {
    const paced = pauses?.between(onRecords) ?? onRecords;
    const relayFailures = localQueue(storage.endpoints.sqs, queues.relayFailures);
    const stream = await startStream({
      endpoint: storage.endpoints.dynamodb,
      tableName,
      journal: await backups?.enable(tableName),
      // Bundled functions write in processes of their own.
      lastWrite: bundled ? undefined : () => lastWrite,
      ...(bundled ? {} : ONE_CALL),
      onRecords: options.disturb?.records(paced) ?? paced,
      checkpointFile: inDataDir('stream.json'),
      onGivenUp: (givenUp) => relayFailures.send([{ body: failureMessage(givenUp), group: 'relay' }]),
    });
    stops.push(stream.stop);
  }
  const schedules: readonly LocalSchedule[] = bundled?.schedules ?? options.schedules ?? [];
  const hurry = bundled ? (options.hurry ?? 1) : 1;
  const logs = integratorServices(services, options.witness);
  for (const { run, everySeconds } of schedules) {
    stops.push(startSweep(async () => (await state.isClosed()) || run(logs), everySeconds / hurry).stop);
  }

  const operator = await startOperatorListener(
    bundled?.operate ?? ((command) => runOperator({ ...services, files: localExportFiles(endpoints.s3) }, command)),
  );
  stops.push(operator.stop);
  const gateway = await startGateway({
    groups,
    functionOf: (group) =>
      bundled?.handlerOf(group.name) ?? groupHandler(group, services, options.log ? { log: options.log } : {}),
    defaultFunction: bundled?.handlerOf('unknown-route') ?? unknownRoute,
    port: options.port,
    prepare: (event) => options.signInToken?.redeem(event) ?? event,
    during: pauses && ((answer) => pauses.during(answer)),
  });
  stops.push(gateway.stop);
  address ||= gateway.url;
  if (bundled) bundled.publicUrl = address;
  const workers: Record<QueueName, OnMessages | undefined> = {
    deliveries: bundled?.notify ?? options.notifier?.({ ...services, mailer: fileMailer(mail), host: address }),
    expansions: bundled?.expand ?? options.expander?.(services),
    evaluations: bundled?.evaluate ?? options.evaluator?.(services),
    'log-entries': bundled?.integrate ?? options.integrator?.(logs),
    exports:
      bundled?.export ??
      options.exporter?.({ ...services, files: localExportFiles(endpoints.s3), verifier: readVerifier }),
    visits: bundled?.visit ?? options.visitor?.(services),
  };
  const visibility = options.visibilityMillis === undefined ? undefined : options.visibilityMillis / 1_000;
  // `Object.entries` forgets the names of queues.
  for (const [queue, onMessages] of Object.entries(workers) as [QueueName, OnMessages | undefined][]) {
    if (!onMessages) continue;
    const paced = pauses?.between(onMessages) ?? onMessages;
    const calls = options.disturb?.messages(paced) ?? paced;
    const consumer = startConsumer({ endpoint: storage.endpoints.sqs, queue, onMessages: calls, visibility });
    stops.push(consumer.stop);
  }
  if (pauses) stops.push(() => pauses.end());
  const addresses = { url: gateway.url, operator: operator.endpoint, mail, endpoints: storage.endpoints };
  const file = inDataDir(STACK_FILE);
  if (file !== undefined) {
    const more = { backups: backupEndpoint?.endpoint, table: tableName, pid: process.pid };
    writeFileSync(file, `${JSON.stringify({ ...addresses, ...more }, null, 2)}\n`);
    stops.push(() => rmSync(file, { force: true }));
  }
  return { ...addresses, services, ended: storage.ended };
}

/** @throws StartError if the data folder has a data format of a later release */
const isClosed = (state: TableState): Promise<boolean> =>
  state.isClosed().catch((error: unknown) => {
    throw error instanceof ServiceError ? new StartError(error.message, error) : error;
  });

/** The provider with the defaults of a region's settings. */
const localSignIn = (signIn: { issuer: string; clientId: string }): SignInProvider => ({
  ...signIn,
  secret: async () => undefined,
  scopes: 'openid email',
  groupsClaim: 'groups',
  rules: RULE_KINDS,
});

function integratorServices(
  services: Services & RelayServices,
  { policy, seconds = 60 }: LocalWitness = {},
): RelayServices & LogServices {
  const witnesses = policy !== undefined && {
    policy: parseWitnessPolicy(policy),
    every: seconds * 1_000_000,
    guard: services.guard,
  };
  const guarded = new GuardedLogs();
  const logSigner = services.keys.log;
  const turns = new SignatureTurns(SIGNATURES_PER_SECOND);
  const pace = { checkpointEvery: CHECKPOINT_EVERY, turns };
  return { ...services, logSigner, guarded, ...pace, ...(witnesses && { witnesses }) };
}

/** Creates a folder for a stack in memory. It is removed when the stack stops. */
function temporaryFolder(stops: StopPart[], prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  stops.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
