import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { type IntegratorServices, integrateMessages } from '#functions/integrator/integrate-messages.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { localKeys } from '#infra/local/clients.ts';
import { loadKeys } from '#infra/local/keys/key-files.ts';
import { startKeyServer } from '#infra/local/keys/key-server.ts';
import { micros } from '#shared/base/time.ts';
import { GuardedLogs } from '#shared/log/guarded-logs.ts';
import { entryOfItem, hasEntry, type ItemEntry } from '#shared/log/item-entries.ts';
import { logMessages } from '#shared/log/log-message.ts';
import { CHECKPOINT_EVERY } from '#shared/log/rules/checkpoint-pace.ts';
import { LOG_ENTRIES_QUEUE } from '#shared/queues/queue-definition.ts';
import { counted, newCount } from '#shared/table/meter.ts';
import type { Item } from '#shared/table/table.ts';
import type { Recording } from '#test/support/table/recorder.ts';
import { queueEvent, recordingLogEntries } from '../../support/queue.ts';
import type { BenchStack } from '../bench-stack.ts';
import { recordedUsage } from '../bill/usage-of.ts';
import { beginTrail, type Client } from '../client.ts';
import { attestation, FLOW } from '../organizations/facts.ts';
import { sum, times, type Usage } from '../prices.ts';
import { type Arriving, playEventSource } from './event-source.ts';

/** What the log of an organization uses for each accepted write, by how often writes come. */

/** How often writes come. */
export interface Arrival {
  name: string;
  everyMillis: number;
  /** The writes that are counted: whole bundles, because a full bundle costs more. */
  counted: number;
}

/** The event source of a queue polls with this many connections, and each of them gathers messages for calls of its own. */
export const POLLERS = 5;
const WINDOW_MILLIS = LOG_ENTRIES_QUEUE.window * 1_000;
/** The queue service hands out and deletes at most this many messages at once. */
export const MESSAGES_PER_CALL = 10;
/** Further writes, so that calls after the window of the last counted write find as much work as those before. */
const FURTHER = 32;
/** Trails that get writes in turn, and moments of each. */
const TRAILS = 32;
const MOMENTS = 8;

/** An organization with the flow `web`. */
export interface LogOrganization {
  name: string;
  client: Client;
}

/** What a write uses in the log, on average. */
export interface LogUse {
  arrival: Arrival;
  usage: Usage;
}

/**
 * Counts what the integrator uses for real writes, with the units of the table as they follow from the items.
 *
 * @param memory of the integrator, in GB
 */
export async function logUses(
  stack: BenchStack,
  organization: LogOrganization,
  arrivals: readonly Arrival[],
  memory: number,
  progress: (text: string) => void,
): Promise<LogUse[]> {
  const server = await startKeyServer(loadKeys());
  try {
    const logSigner = localKeys(server.endpoint).log;
    const uses: LogUse[] = [];
    for (const arrival of arrivals) {
      progress(`log, ${arrival.name}`);
      const entries = await writeEntries(stack, organization, arrival);
      uses.push({ arrival, usage: await usageOf(stack, { logSigner, memory }, arrival, entries) });
    }
    return uses;
  } finally {
    await server.stop();
  }
}

/** Makes real writes and returns their entries, as the relay rebuilds them from the stream. */
async function writeEntries(
  stack: BenchStack,
  { client, name }: LogOrganization,
  { everyMillis, counted: countedWrites }: Arrival,
): Promise<ItemEntry[]> {
  const entries: ItemEntry[] = [];
  for (let n = 0; n < countedWrites + FURTHER; n += 1) {
    const block = TRAILS * MOMENTS;
    const trail = `logged-${everyMillis}-${Math.floor(n / block)}-${n % TRAILS}`;
    const path = `/attestations/${name}/${FLOW}/trail/${trail}/generic`;
    const recording = await stack.recorder.record(async () => {
      if (n % block < TRAILS) await client.direct(trailsGroup, beginTrail(name, trail), 201);
      else await client.direct(attestationsGroup, { method: 'POST', path, json: attestation('check', n) }, 201);
    });
    entries.push(...entriesOf(recording));
  }
  return entries;
}

const entriesOf = ({ calls }: Recording): ItemEntry[] => {
  const writes = calls.flatMap(({ input }) => (input['TransactItems'] ?? []) as { Put?: { Item: Item } }[]);
  const items = writes.flatMap(({ Put }) => (Put && hasEntry(Put.Item) ? [Put.Item] : []));
  return items.flatMap((item) => entryOfItem(item) ?? []);
};

/** Simulated time: milliseconds since the epoch, and how often it was asked for, because times have to differ. */
const simulated = { millis: Date.now(), ticks: 0 };

/**
 * Plays the event source in simulated time: each entry is a message of its own, as a relay that has one record per call sends
 * it. What the integrator writes does not pass the [filter](rules/storage.md#filter) of the stream, so nobody is called for it.
 */
async function usageOf(
  { services: { table, objects, origin }, recorder }: BenchStack,
  { logSigner, memory }: { logSigner: IntegratorServices['logSigner']; memory: number },
  arrival: Arrival,
  entries: readonly ItemEntry[],
): Promise<Usage> {
  const sent = recordingLogEntries();
  // The log remembers times, so that the time of this arrival goes on where the one before it ended.
  const started = simulated.millis;
  const clock = {
    now() {
      simulated.ticks += 1;
      return micros(simulated.millis * 1_000 + simulated.ticks);
    },
  };
  const services: IntegratorServices = {
    ...{ table, objects, origin, clock, logSigner },
    guarded: new GuardedLogs(),
    checkpointEvery: CHECKPOINT_EVERY,
    logEntries: sent.queue,
  };
  const failures: unknown[] = [];
  const log = (message: string, facts: Record<string, unknown>) => failures.push({ message, ...facts });
  const arriving: Arriving[] = entries.map(({ org, bytes, trail }, i) => {
    const trails = new Map(trail ? [[trail.id, trail.name]] : []);
    return { at: started + i * arrival.everyMillis, body: logMessages(org, [bytes], trails)[0]?.body };
  });
  // A call comes a window after its first message, so the calls for the counted writes are counted a window later.
  const countedFrom = started + WINDOW_MILLIS;
  const countedUntil = countedFrom + arrival.counted * arrival.everyMillis;
  const used: Usage[] = [];
  const call = async (bodies: unknown[], at: number) => {
    simulated.millis = at;
    const count = newCount();
    const recording = await recorder.record(async () => {
      await counted(() => integrateMessages(queueEvent(bodies), services, { log, lines: () => undefined }), count);
    });
    if (simulated.millis >= countedFrom && simulated.millis < countedUntil) {
      used.push(recordedUsage(recording, memory), {
        signatures: count.log.filter(({ name }) => name.startsWith('KMS.Sign')).length,
        // Each message is sent and received alone.
        queueRequests: 2 * bodies.length + Math.ceil(bodies.length / MESSAGES_PER_CALL),
      });
    }
    const later = sent.take().map(({ message, delaySeconds }) => ({ at: at + delaySeconds * 1_000, body: message }));
    return { millis: 0, sent: later };
  };
  await playEventSource(arriving, {
    connections: POLLERS,
    windowMillis: WINDOW_MILLIS,
    batch: LOG_ENTRIES_QUEUE.batch,
    call,
  });
  if (failures.length > 0) throw new Error(`The integrator logged ${JSON.stringify(failures[0])}`);
  return times(sum(used), 1 / arrival.counted);
}
