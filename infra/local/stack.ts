import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { groups } from '#functions/groups.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { handler as unknownRoute } from '#functions/unknown-route/index.ts';
import { systemClock } from '#shared/base/time.ts';
import { childEngines } from '#shared/engines/child-engines.ts';
import { childPolicyEngine } from '#shared/evaluations/child-policy-engine.ts';
import type { Log } from '#shared/http/access-log.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import type { Services } from '#shared/http/services.ts';
import type { NotifierServices, RelayServices } from '#shared/notifications/services.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { fileMailer } from '#shared/outgoing/mail.ts';
import { Table } from '#shared/table/table.ts';
import { localDatabase, localObjects } from './clients.ts';
import { lockDataDir } from './data-lock.ts';
import { ensureQueues, localQueue, type OnMessages, type QueueName, startConsumer } from './events/queues.ts';
import { type OnRecords, startStream } from './events/stream.ts';
import { startSweep } from './events/sweep.ts';
import { BundledFunctions } from './functions/bundled-functions.ts';
import { startGateway } from './gateway/gateway.ts';
import { startOperatorListener } from './operator-listener.ts';
import { preferredPort, requirePort } from './ports.ts';
import { LOCAL } from './settings.ts';
import { ensureTable, startDynamoDb } from './storage/dynamodb.ts';
import { startObjectsServer } from './storage/objects-server.ts';

export interface StackOptions {
  /** TCP port of the gateway; 0 for a free one. The bucket and the queues take the two after it where they can. */
  port: number;
  /** Where everything is kept; in memory when absent. */
  dataDir?: string;
  /** Runs before the gateway opens. */
  seed?: (services: Services) => Promise<void>;
  /** The function on the table's stream. */
  relay?: (services: RelayServices) => OnRecords;
  /** The function on the queue of deliveries. */
  notifier?: (services: NotifierServices) => OnMessages;
  /** The function on the queue of evaluations. */
  evaluator?: (services: Services) => OnMessages;
  /** What schedules run in a region. */
  schedules?: readonly LocalSchedule[];
  /** Whether the functions run from the archives that would be deployed, in the place of those above. */
  bundles?: boolean;
  /** Networks in CIDR form that targets of notifications may have beside the internet. */
  allowedNetworks?: readonly string[];
  /** Where the lines of requests go; to the console when absent. */
  log?: Log;
  /** Puts something between the functions and the servers, such as faults. @returns where the functions find them */
  between?: (endpoints: Stack['endpoints']) => Promise<Stack['endpoints']>;
}

/** Something that runs once at the start, and again and again. */
export interface LocalSchedule {
  everySeconds: number;
  run: (services: RelayServices) => Promise<unknown>;
}

export interface Stack {
  /** Address of the gateway: `http://localhost:8001`. */
  url: string;
  endpoints: { dynamodb: string; s3: string; sqs: string };
  /** Takes operator commands. */
  operator: string;
  /** Where mail is written to, a file each. */
  mail: string;
  services: Services & RelayServices;
  /** Rejects when a part of the stack ends although nobody stopped it. */
  ended: Promise<void>;
  /** Ends everything that was started, newest first; calling it again waits for the same end. */
  stop(): Promise<void>;
}

/** Where the operator's client finds a running stack. */
export const STACK_FILE = 'stack.json';

/**
 * Starts the whole service on this machine: the same functions and the same table definition as in a region.
 *
 * @throws StartError with one sentence for what is in the way; nothing is left running then
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const started: (() => Promise<void> | void)[] = [];
  const stopAll = async () => {
    const failures: unknown[] = [];
    for (let end = started.pop(); end; end = started.pop()) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Parts of the local stack did not end in order');
  };
  try {
    const parts = await startParts(options, started);
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

async function startParts(
  options: StackOptions,
  started: (() => Promise<void> | void)[],
): Promise<Omit<Stack, 'stop'>> {
  const dataDir = options.dataDir === undefined ? undefined : resolve(options.dataDir);
  const inDataDir = (name: string) => (dataDir === undefined ? undefined : join(dataDir, name));
  await requirePort(options.port);
  if (dataDir !== undefined) started.push(lockDataDir(dataDir));

  const storage = await startStorage(options.port, inDataDir, started);
  const engines = childEngines();
  started.push(() => engines.close());
  const policies = childPolicyEngine();
  started.push(() => policies.close());
  const queues = await ensureQueues(storage.endpoints.sqs);
  const guard = addressGuard(options.allowedNetworks);
  const seen = (await options.between?.(storage.endpoints)) ?? storage.endpoints;
  const queueOf = (name: QueueName) => localQueue(seen.sqs, seen.sqs + new URL(queues[name].url).pathname);
  const services: Services & RelayServices = {
    table: new Table(localDatabase(seen.dynamodb), LOCAL.tableName),
    objects: localObjects(seen.s3),
    ...{ engines, policies },
    clock: systemClock(),
    guard,
    principals: (table) => new Directory(table),
    deliveries: queueOf('deliveries'),
    evaluations: queueOf('evaluations'),
  };
  await options.seed?.(services);

  const bundled = options.bundles
    ? await BundledFunctions.make(inDataDir('functions') ?? temporary(started, 'functions-'))
    : undefined;
  if (bundled) {
    const { allowedNetworks = [] } = options;
    const addresses = { deliveries: queues.deliveries.url, evaluations: queues.evaluations.url };
    bundled.configure({ endpoints: storage.endpoints, queues: addresses, allowedNetworks });
    started.push(() => bundled.stop());
  }

  const onRecords = bundled?.relay ?? options.relay?.(services);
  if (onRecords) {
    const checkpointFile = inDataDir('stream.json');
    const stream = await startStream({
      endpoint: storage.endpoints.dynamodb,
      tableName: LOCAL.tableName,
      onRecords,
      ...(checkpointFile !== undefined && { checkpointFile }),
    });
    started.push(stream.stop);
  }
  const schedules: readonly LocalSchedule[] = bundled?.schedules ?? options.schedules ?? [];
  for (const { run, everySeconds } of schedules) {
    started.push(startSweep(() => run(services), everySeconds).stop);
  }

  const operator = await startOperatorListener(bundled?.operate ?? ((command) => runOperator(services, command)));
  started.push(operator.stop);
  const gateway = await startGateway({
    groups,
    functionOf: (group) =>
      bundled?.handlerOf(group.name) ?? groupHandler(group, services, options.log ? { log: options.log } : {}),
    defaultFunction: bundled?.handlerOf('unknown-route') ?? unknownRoute,
    port: options.port,
  });
  started.push(gateway.stop);
  const mail = inDataDir('mail') ?? temporary(started, 'mail-');
  if (bundled) bundled.publicUrl = gateway.url;
  const workers: Record<QueueName, OnMessages | undefined> = {
    deliveries: bundled?.notify ?? options.notifier?.({ ...services, mailer: fileMailer(mail), host: gateway.url }),
    evaluations: bundled?.evaluate ?? options.evaluator?.(services),
  };
  for (const [queue, onMessages] of Object.entries(workers) as [QueueName, OnMessages | undefined][]) {
    if (onMessages) started.push(startConsumer({ endpoint: storage.endpoints.sqs, queue, onMessages }).stop);
  }
  const addresses = { url: gateway.url, operator: operator.url, mail, endpoints: storage.endpoints };
  const file = inDataDir(STACK_FILE);
  if (file !== undefined) {
    writeFileSync(file, `${JSON.stringify({ ...addresses, pid: process.pid }, null, 2)}\n`);
    started.push(() => rmSync(file, { force: true }));
  }
  return { ...addresses, services, ended: storage.ended };
}

/** A folder of a stack that keeps nothing: gone at its end. */
function temporary(started: (() => void)[], prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  started.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function startStorage(
  port: number,
  inDataDir: (name: string) => string | undefined,
  started: (() => Promise<void> | void)[],
): Promise<Pick<Stack, 'endpoints' | 'ended'>> {
  const databaseDir = inDataDir('dynamodb');
  const objectsDir = inDataDir('objects');
  if (objectsDir !== undefined) mkdirSync(objectsDir, { recursive: true });
  const database = await startDynamoDb(databaseDir === undefined ? {} : { dataDir: databaseDir });
  started.push(database.stop);
  const objects = await startObjectsServer({
    s3Port: await preferredPort(port === 0 ? 0 : port + 1),
    sqsPort: await preferredPort(port === 0 ? 0 : port + 2),
    ...(objectsDir !== undefined && { dataDir: objectsDir }),
  });
  started.push(objects.stop);
  await ensureTable(database.endpoint, LOCAL.tableName);
  return {
    endpoints: { dynamodb: database.endpoint, s3: objects.s3, sqs: objects.sqs },
    ended: database.ended,
  };
}
