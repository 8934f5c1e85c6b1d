import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type IntegratorServices, integrateMessages } from '#functions/integrator/integrate-messages.ts';
import { localDatabase, localObjects } from '#infra/local/clients.ts';
import { LOCAL } from '#infra/local/settings.ts';
import { startDynamoDb } from '#infra/local/storage/dynamodb.ts';
import { newId, type OrganizationId, type TrailId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import { batchesOf } from '#shared/base/parallel.ts';
import { micros, systemClock } from '#shared/base/time.ts';
import { GuardedLogs } from '#shared/log/guarded-logs.ts';
import { LogMessage, logMessages } from '#shared/log/log-message.ts';
import { CHECKPOINT_EVERY } from '#shared/log/rules/checkpoint-pace.ts';
import { SignatureTurns } from '#shared/log/signature-turns.ts';
import { LOG_ENTRIES_QUEUE } from '#shared/queues/queue-definition.ts';
import { counted, newCount } from '#shared/table/meter.ts';
import { Table } from '#shared/table/table.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { LOG_KEY, logOrigin, trailEntries } from '#test/support/log/log-entries.ts';
import { testId, testName } from '../../support/ids.ts';
import { queueEvent, recordingLogEntries } from '../../support/queue.ts';
import { createTable, startObjects } from '../local-services.ts';
import { playEventSource } from './event-source.ts';

/** How the integrator keeps up with writes that are spread over many organizations. */

export interface Load {
  /** Organizations that have a log. */
  organizations: number;
  /** Writes in a second, each to an organization by chance. */
  writes: number;
  seconds: number;
  /** Calls of the integrator at the same time. */
  calls: number;
  /** Time that is added to each call of the table and to each signature, in milliseconds. */
  latency: number;
  /** Most signatures in a second. */
  signatures: number;
}

/** A call of the integrator. */
export interface Call {
  seconds: number;
  /** Processor time of this process, in seconds. */
  processor: number;
  messages: number;
  entries: number;
  /** Names of the calls that it made. */
  made: string[];
  callsInRow: number;
}

export interface Measured {
  calls: Call[];
  /** Seconds from each write to the checkpoint that covers it. */
  waits: number[];
  /** When each checkpoint was signed, in seconds after the first write. */
  signedAt: number[];
}

/** When the writes begin: long after the checkpoints with which the logs begin. */
const WRITES_BEGIN = 120_000;
/**
 * Logged if a moment comes before the one that it follows, because another connection has that one. In a region the integrator
 * reads the earlier moment from the table, with the same call. Here the moment is not there, so it is appended when it comes.
 */
const OVERTAKEN = 'Links before an entry of the log are not in the table';
/** Moments of a trail. */
const MOMENTS = 8;
/** Organizations of a call that begins their logs. */
const BEGUN_AT_ONCE = 200;

/** The writes of one organization: moments of one trail after another. */
class Writes {
  readonly org: OrganizationId;
  /** When each write was made, in the order of the log. */
  readonly #at: number[] = [];
  #covered = 0;
  #trail: { names: Map<TrailId, TrailName>; entries: Buffer[] } = { names: new Map(), entries: [] };

  constructor(org: OrganizationId) {
    this.org = org;
  }

  /** @returns the message of a write */
  write(at: number): unknown {
    const number = this.#at.length % MOMENTS;
    if (number === 0) {
      const name = `trail-${this.#at.length}`;
      const names = new Map([[testId<TrailId>(name), testName<TrailName>(name)]]);
      this.#trail = { names, entries: trailEntries(this.org, name, MOMENTS) };
    }
    this.#at.push(at);
    const { names, entries } = this.#trail;
    return logMessages(this.org, entries.slice(number, number + 1), names)[0]?.body;
  }

  /** @returns how long the writes waited that a checkpoint covers and no earlier one */
  cover(size: number, now: number): number[] {
    const covered = this.#at.slice(this.#covered, size);
    this.#covered = size;
    return covered.map((at) => now - at);
  }
}

/**
 * Plays the writes in simulated time: the queue, its connections and the clock are simulated. Every call of the integrator is
 * a real one, against a database and a bucket on this machine, and takes as long as it took. Calls that run side by side in
 * simulated time run one after another, so that they do not share the processors of this machine.
 */
export async function measureLoad(load: Load, progress: (text: string) => void): Promise<Measured> {
  const database = await startDynamoDb({});
  const bucket = await startObjects();
  try {
    await createTable(database.endpoint);
    return await measure(load, { dynamodb: database.endpoint, s3: bucket.s3 }, progress);
  } finally {
    await bucket.stop();
    await database.stop();
  }
}

async function measure(
  { organizations, writes, seconds, calls: width, latency, signatures }: Load,
  endpoints: { dynamodb: string; s3: string },
  progress: (text: string) => void,
): Promise<Measured> {
  const measured: Measured = { calls: [], waits: [], signedAt: [] };
  const ids = systemClock();
  const all = Array.from({ length: organizations }, () => new Writes(newId<OrganizationId>(ids.now())));
  const byOrigin = new Map(all.map((one) => [logOrigin(one.org), one]));
  const sent = recordingLogEntries();
  /** Milliseconds: when the present call began, simulated and real. */
  const call = { at: 0, began: performance.now(), latency: 0 };
  const simulated = () => call.at + performance.now() - call.began;
  const start = Date.now();
  let ticks = 0;
  const sign = async (message: Uint8Array) => {
    await sleep(call.latency);
    const { origin, size } = parseCheckpoint(Buffer.from(message).toString());
    measured.signedAt.push((simulated() - WRITES_BEGIN) / 1_000);
    measured.waits.push(...(byOrigin.get(origin)?.cover(size, simulated() / 1_000) ?? []));
    return LOG_KEY.sign(message);
  };
  const services = {
    table: new Table(
      withLatency(localDatabase(endpoints.dynamodb), () => call.latency),
      LOCAL.tableName,
    ),
    objects: localObjects(endpoints.s3),
    // Times have to differ.
    clock: { now: () => micros((start + Math.floor(simulated())) * 1_000 + (ticks++ % 1_000)) },
    origin: logOrigin,
    checkpointEvery: CHECKPOINT_EVERY,
    logEntries: sent.queue,
    logSigner: async () => ({ ...LOG_KEY, sign }),
  };
  const failures: unknown[] = [];
  const log = (message: string, facts: Record<string, unknown>) => {
    if (message !== OVERTAKEN) failures.push({ message, ...facts });
  };
  // Each connection has a container of its own, which has compared all logs with the bucket before.
  const containers = Array.from({ length: width }, (): IntegratorServices => {
    const guarded = new GuardedLogs();
    for (const { org } of all) guarded.add(org);
    return { ...services, guarded, turns: new SignatureTurns(signatures) };
  });

  progress(`${organizations} logs begin`);
  const guarded = new GuardedLogs();
  for (const some of batchesOf(all, BEGUN_AT_ONCE)) {
    await integrateMessages(
      queueEvent(some.map((one) => one.write(0))),
      { ...services, guarded },
      { log, lines: () => undefined },
    );
  }
  measured.signedAt.length = 0;
  measured.waits.length = 0;
  call.latency = latency;

  progress(`${writes * seconds} writes`);
  let seed = 1;
  const arriving = Array.from({ length: writes * seconds }, (_, i) => {
    seed = (seed * 16_807) % 2_147_483_647;
    const at = WRITES_BEGIN + (i * 1_000) / writes;
    return { at, body: all[seed % all.length]?.write(at / 1_000) };
  });
  await playEventSource(arriving, {
    connections: width,
    windowMillis: LOG_ENTRIES_QUEUE.window * 1_000,
    batch: LOG_ENTRIES_QUEUE.batch,
    async call(bodies, at, connection) {
      const container = containers[connection];
      if (!container) throw new Error(`There is no container ${connection}`);
      const [count, before] = [newCount(), process.cpuUsage()];
      Object.assign(call, { at, began: performance.now() });
      await counted(() => integrateMessages(queueEvent(bodies), container, { log, lines: () => undefined }), count);
      const millis = performance.now() - call.began;
      const { user, system } = process.cpuUsage(before);
      measured.calls.push({
        seconds: millis / 1_000,
        processor: (user + system) / 1_000_000,
        messages: bodies.length,
        entries: bodies.flatMap((body) => LogMessage.parse(body).entries).length,
        made: count.log.map(({ name }) => name),
        callsInRow: count.sequential,
      });
      const end = at + millis;
      return {
        millis,
        sent: sent.take().map(({ message, delaySeconds }) => ({ at: end + delaySeconds * 1_000, body: message })),
      };
    },
  });
  if (failures.length > 0) throw new Error(`The integrator logged ${JSON.stringify(failures[0])}`);
  return measured;
}

/** Adds a time to each call of a client, outside the retries of the SDK. */
function withLatency(client: DynamoDBDocumentClient, millis: () => number): DynamoDBDocumentClient {
  client.middlewareStack.add(
    (next) => async (args) => {
      await sleep(millis());
      return next(args);
    },
    { step: 'initialize', name: 'latency' },
  );
  return client;
}
