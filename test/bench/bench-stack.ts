import { groups } from '#functions/groups.ts';
import type { Services } from '#functions/services.ts';
import { lazyEngines, lazyPolicies } from '#functions/services.ts';
import { handler as unknownRoute } from '#functions/unknown-route/index.ts';
import { startGateway } from '#infra/local/gateway/gateway.ts';
import { LOCAL } from '#infra/local/settings.ts';
import { startDynamoDb } from '#infra/local/storage/dynamodb.ts';
import type { LogEntry } from '#shared/base/log-lines.ts';
import { systemClock } from '#shared/base/time.ts';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { type GroupHandler, groupHandler } from '#shared/http/lambda.ts';
import { indexOf } from '#shared/log/records/claims.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { NO_KEYS } from '#shared/signing/keys.ts';
import { makeRecorder, type Recorder } from '../support/table/recorder.ts';
import { createTable, startObjects } from './local-services.ts';

/** The parts of the local stack that serve requests. The relay, the notifier and the evaluator are not started. */
export interface BenchStack {
  /** Address of the gateway. */
  url: string;
  services: Services;
  recorder: Recorder;
  /** Addresses of the database and of the bucket. */
  endpoints: { dynamodb: string; s3: string };
  handlerOf(group: EndpointGroup): GroupHandler;
  /** The log entry of the last request. @throws Error if there was no request */
  lastEntry(): LogEntry;
  stop(): Promise<void>;
}

/**
 * Starts the stack on free ports, in memory. The caller has to stop it.
 * @param running address of a database that runs already and has no table of the stack; by default one is started
 */
export async function startBenchStack(running?: string): Promise<BenchStack> {
  const database = running === undefined ? await startDynamoDb() : { endpoint: running, stop: async () => {} };
  const objects = await startObjects();
  await createTable(database.endpoint);
  const endpoints = { dynamodb: database.endpoint, s3: objects.s3 };
  const recording = makeRecorder(endpoints, LOCAL.tableName);
  const services: Services = {
    table: recording.table,
    objects: recording.objects,
    engines: lazyEngines(),
    policies: lazyPolicies(),
    clock: systemClock(),
    address: 'https://api.example',
    guard: addressGuard(),
    principals: (table) => new Directory(table),
    keys: NO_KEYS,
    origin: (org) => `${org}.${LOCAL.logDomain}`,
    logDomain: () => LOCAL.logDomain,
    entryIndex: indexOf,
    witness: { logs: '' },
  };
  let last: LogEntry | undefined;
  const log = (entry: LogEntry) => {
    if (entry.level === 'ERROR') console.error(JSON.stringify(entry));
    last = entry;
  };
  const handlers = new Map(groups.map((group) => [group.name, groupHandler(group, services, { log })]));
  const handlerOf = ({ name }: EndpointGroup): GroupHandler => {
    const handler = handlers.get(name);
    if (!handler) throw new Error(`There is no group ${name}`);
    return handler;
  };
  const gateway = await startGateway({ groups, functionOf: handlerOf, defaultFunction: unknownRoute, port: 0 });
  return {
    url: gateway.url,
    services,
    recorder: recording,
    endpoints,
    handlerOf,
    lastEntry: () => {
      if (!last) throw new Error('There was no request yet');
      return last;
    },
    async stop() {
      await gateway.stop();
      await objects.stop();
      await database.stop();
    },
  };
}
