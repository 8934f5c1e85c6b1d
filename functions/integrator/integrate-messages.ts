import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { errorFacts } from '#shared/base/error-facts.ts';
import { type OrganizationId, storedId, type TrailId } from '#shared/base/ids.ts';
import { type Log, messageLog, type WorkerLog, workerLog } from '#shared/base/log-lines.ts';
import type { TrailName } from '#shared/base/names.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type Incoming, integrate, type LogRead, publishLog, readLogs } from '#shared/log/integrate.ts';
import { LogMessage, logMessages, publishMessage } from '#shared/log/log-message.ts';
import type { Place } from '#shared/log/rules/signature-line.ts';
import type { LogServices } from '#shared/log/services.ts';
import { takePlaces } from '#shared/log/signature-turns.ts';
import { readWaiting, type WaitingEntry } from '#shared/log/waiting-entries.ts';
import type { Queue } from '#shared/queues/queue.ts';
import { LOG_ENTRIES_QUEUE } from '#shared/queues/queue-definition.ts';
import { listActive } from '#shared/sweeps/active-organizations.ts';

/** After this time, in milliseconds, a call appends no further batch. It sends the rest as messages. */
export const APPEND_MILLIS = 10_000;
/** After this time, in milliseconds, a call stores no further tiles. */
export const STORE_MILLIS = 25_000;
/** Organizations at the same time: all of a call. Few of them have more than one call on the wire (rules/storage.md#connections). */
const WIDTH = LOG_ENTRIES_QUEUE.batch;

export interface IntegratorServices extends LogServices {
  /** The integrator's own queue, for the rest of its work. */
  logEntries: Queue;
}

interface IntegratorOptions {
  log?: WorkerLog;
  /** Gets the line about appended entries. @default the standard output */
  lines?: Log;
  wallClock?: () => number;
}

interface Work extends Incoming {
  messageIds: string[];
  entries: WaitingEntry[];
  trails: Map<TrailId, TrailName>;
  requests: Set<string>;
  /** The number of the log in the line for signatures, if it has one. */
  number?: number | undefined;
}

/**
 * Processes messages of the queue of log entries (rules/log.md#messages): appends the entries of each organization to its
 * log, stores tiles and publishes a checkpoint. Organizations do not wait for each other.
 */
export async function integrateMessages(
  event: SQSEvent,
  services: IntegratorServices,
  {
    log = workerLog(messageIdOf(event), undefined, undefined, 'integrator'),
    lines,
    wallClock = Date.now,
  }: IntegratorOptions = {},
): Promise<SQSBatchResponse> {
  const start = wallClock();
  const line = messageLog('integrator', lines, wallClock);
  const isBefore = (millis: number) => () => wallClock() - start < millis;
  const failed: string[] = [];
  const works = new Map<OrganizationId, Work>();
  for (const record of event.Records) {
    try {
      addMessage(works, record);
    } catch (error) {
      log('A message of the queue of log entries cannot be read', { message: record.messageId, ...errorFacts(error) });
      failed.push(record.messageId);
    }
  }
  const factsOf = ({ org, entries, requests }: Work) => ({
    organization: org,
    entries: entries.length,
    requests: [...requests],
  });
  const fail = (work: Work, error: unknown) => {
    log('Entries could not be appended to a log; their messages come again', {
      ...factsOf(work),
      ...errorFacts(error),
    });
    failed.push(...work.messageIds);
  };
  const reading = readLogs(services.table, [...works.values()]);
  const begun: (Work & LogRead)[] = [];
  for (const work of works.values()) {
    try {
      begun.push({ ...work, ...(await reading)(work.org) });
    } catch (error) {
      fail(work, error);
    }
  }
  const taking = takePlaces(services, begun);
  // Each log waits for its place after its entries were appended, and fails with this error then. Until somebody waits, the process
  // must not end because of it.
  taking.catch(() => undefined);
  await inParallel(begun, WIDTH, async (work) => {
    const placeOf = services.turns && (async () => (await taking).get(work.org) ?? null);
    try {
      await integrateWork({ services, log, isBefore, placeOf }, work);
      line('INFO', 'Worked on entries of a log', { messageId: messageIdOf(event) }, factsOf(work));
    } catch (error) {
      fail(work, error);
    }
  });
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}

/** The id by which the lines of one call are found. */
const messageIdOf = ({ Records: [first] }: SQSEvent): string => first?.messageId ?? 'none';

/** Adds a message to the work of its organization. @throws ZodError or MalformedEntry, before anything was added */
function addMessage(works: Map<OrganizationId, Work>, { messageId, body }: SQSRecord): void {
  const { org, entries, trails, requests, number } = LogMessage.parse(JSON.parse(body));
  const waiting = entries.map((entry) => readWaiting(org, Buffer.from(entry, 'base64')));
  const known = works.get(org);
  const work: Work = known ?? { org, messageIds: [], entries: [], trails: new Map(), requests: new Set() };
  work.messageIds.push(messageId);
  work.entries.push(...waiting);
  work.number ??= number;
  for (const [trail, name] of Object.entries(trails)) work.trails.set(storedId(trail), name);
  for (const request of requests) work.requests.add(request);
  works.set(org, work);
}

interface Call {
  services: IntegratorServices;
  log: WorkerLog;
  isBefore: (millis: number) => () => boolean;
  placeOf: (() => Promise<Place | null>) | undefined;
}

async function integrateWork({ services, log, isBefore, placeOf }: Call, work: Work & LogRead): Promise<void> {
  const { org } = work;
  const integrated = await integrate(services, work, work, { log, isTime: isBefore(APPEND_MILLIS) });
  const left = integrated.left.map(({ bytes }) => bytes);
  await services.logEntries.send(logMessages(org, left, work.trails, [...work.requests]));
  try {
    const later = await publishLog(services, org, integrated, { log, isTime: isBefore(STORE_MILLIS), placeOf });
    if (later) await services.logEntries.send([publishMessage(org, later)]);
  } catch (error) {
    // The entries are in the log, so their messages are done. The sweep sends a message to publish them.
    await listActive(services.table, org, services.clock.now());
    log('A log could not be published; a sweep tries again', { organization: org, ...errorFacts(error) });
  }
}
