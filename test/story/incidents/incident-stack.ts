import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { afterAll, beforeAll } from 'vitest';
import { integrateMessages } from '#functions/integrator/integrate-messages.ts';
import { notify } from '#functions/notifier/notify.ts';
import { relay } from '#functions/relay/relay.ts';
import { type OnMessages, type QueueName, startConsumer } from '#infra/local/events/queues.ts';
import { LOCAL, localClient } from '#infra/local/settings.ts';
import { type Stack, startStack } from '#infra/local/stack.ts';
import { startDynamoDb } from '#infra/local/storage/dynamodb.ts';
import { OPTIONAL_SETTINGS } from '#infra/optional-settings.ts';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import { type Log, type LogEntry, workerLog } from '#shared/base/log-lines.ts';
import { GuardedLogs } from '#shared/log/guarded-logs.ts';
import { CHECKPOINT_EVERY } from '#shared/log/rules/checkpoint-pace.ts';
import { SIGNATURES_PER_SECOND } from '#shared/log/rules/signature-line.ts';
import { SignatureTurns } from '#shared/log/signature-turns.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import { sesMailer } from '#shared/outgoing/mail.ts';
import { serviceTemplates } from '#test/infra/synthesized.ts';
import { PlayedAlarms } from '#test/support/alarms/played-alarms.ts';
import { type Stack as Calls, callsOf, KEY } from '../stack-api.ts';
import { type MailService, startMailService } from './mail-service.ts';
import { StoryClock } from './story-clock.ts';
import { TableCapacity } from './table-capacity.ts';

/** One organization for each incident, and one that has done nothing wrong. */
const ORGANIZATIONS = ['mailing', 'flooding', 'logging', 'quiet'] as const;
type OrganizationName = (typeof ORGANIZATIONS)[number];

/** So high that they stop nobody who has no limits of his own. */
const MANY = { rate: 1_000, burst: 2_000 };
const LIMITS = { requests: MANY, writes: MANY };

/** The workers whose event sources the stories enable and disable, with their queues. */
const QUEUES = { notifier: 'deliveries', integrator: 'log-entries' } as const satisfies Record<string, QueueName>;
export type Worker = keyof typeof QUEUES;

/** A stack whose time, mail service, table and event sources the story controls. */
export interface IncidentStack extends Pick<Stack, 'services' | 'endpoints' | 'url'> {
  clock: StoryClock;
  capacity: TableCapacity;
  mails: MailService;
  alarms: PlayedAlarms;
  /** Every line that a function wrote. */
  lines: LogEntry[];
  log: Log;
  dataDir: string;
  /** @param seen gets the headers of every answer */
  callsOf(org: OrganizationName, seen?: (headers: Headers) => void): Pick<Calls, 'call' | 'get'>;
  /** Enables or disables the event source of a worker. */
  update(worker: Worker, isEnabled: boolean): Promise<void>;
}

/** Starts the stack before the tests of a file. @returns a function that returns the stack in a test */
export function incidentStack(): () => IncidentStack {
  const stops: (() => unknown)[] = [];
  let stack: IncidentStack | undefined;
  beforeAll(async () => {
    stack = await start(stops);
  });
  afterAll(async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  });
  return () => {
    if (!stack) throw new Error('The stack of the incidents did not start');
    return stack;
  };
}

async function start(stops: (() => unknown)[]): Promise<IncidentStack> {
  const dataDir = mkdtempSync(join(tmpdir(), 'incidents-'));
  stops.push(() => rmSync(dataDir, { recursive: true, force: true }));
  const [clock, capacity, alarms] = [new StoryClock(), new TableCapacity(), playedAlarms()];
  const database = await startDynamoDb();
  stops.push(() => database.stop());
  const mails = await startMailService();
  stops.push(() => mails.stop());
  const lines: LogEntry[] = [];
  const log: Log = (entry) => {
    lines.push(entry);
    alarms.takeLine(entry.service, JSON.stringify(entry), clock.now());
  };
  const stack = await startStack({
    port: 0,
    dataDir,
    database: database.endpoint,
    clock,
    disturbance: capacity,
    limits: { stage: MANY, organization: LIMITS, key: LIMITS },
    seed: async (services) => {
      const members = [{ user: 'ann', role: 'admin', api_key: KEY }];
      await applySeed(services, { organizations: ORGANIZATIONS.map((name) => ({ name, members })) });
    },
    relay: (services) => (event) => relay(event, services, { lines: log, log: workerLog('relay', log) }),
    log,
  });
  stops.push(() => stack.stop());
  const consumers = new Map<Worker, { stop(): Promise<void> }>();
  const update = async (worker: Worker, isEnabled: boolean) => {
    const running = consumers.get(worker);
    if (isEnabled === (running !== undefined)) return;
    consumers.delete(worker);
    await running?.stop();
    if (!isEnabled) return;
    const onMessages = workersOf(stack, mails, log)[worker];
    consumers.set(worker, startConsumer({ endpoint: stack.endpoints.sqs, queue: QUEUES[worker], onMessages }));
  };
  stops.push(() => Promise.all([update('notifier', false), update('integrator', false)]));
  // A story enables the event source of the integrator. A consumer that stopped can still receive a message and hide it.
  await update('notifier', true);
  const { services, endpoints, url } = stack;
  const calls: IncidentStack['callsOf'] = (org, seen) =>
    callsOf(url, org, KEY, (_, __, ___, headers) => seen?.(headers));
  return { services, endpoints, url, clock, capacity, mails, alarms, lines, log, dataDir, callsOf: calls, update };
}

/** The alarms of a stage that sends mail. */
const playedAlarms = () => new PlayedAlarms(serviceTemplates(OPTIONAL_SETTINGS).eu.watch, 'eu');

function workersOf({ services, url }: Stack, mails: MailService, log: Log): Record<Worker, OnMessages> {
  const client = new SESv2Client({ ...localClient(mails.endpoint), ...CLIENT_SETTINGS });
  const notifying = { ...services, mailer: sesMailer(client, LOCAL.mailSender), host: url };
  const integrating = {
    ...services,
    logSigner: services.keys.log,
    guarded: new GuardedLogs(),
    checkpointEvery: CHECKPOINT_EVERY,
    turns: new SignatureTurns(SIGNATURES_PER_SECOND),
  };
  return {
    notifier: (event) => notify(event, notifying, { log }),
    integrator: (event) =>
      integrateMessages(event, integrating, { lines: log, log: workerLog('integrator', log, undefined, 'integrator') }),
  };
}
