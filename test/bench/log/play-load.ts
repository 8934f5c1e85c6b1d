import { type IntegratorServices, integrateMessages } from '#functions/integrator/integrate-messages.ts';
import { newId, type OrganizationId, type TrailId } from '#shared/base/ids.ts';
import type { Log } from '#shared/base/log-lines.ts';
import type { TrailName } from '#shared/base/names.ts';
import { batchesOf } from '#shared/base/parallel.ts';
import { micros, systemClock } from '#shared/base/time.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { GuardedLogs } from '#shared/log/guarded-logs.ts';
import { logMessages } from '#shared/log/log-message.ts';
import { CHECKPOINT_EVERY } from '#shared/log/rules/checkpoint-pace.ts';
import { SignatureTurns } from '#shared/log/signature-turns.ts';
import { LOG_ENTRIES_QUEUE } from '#shared/queues/queue-definition.ts';
import type { Table } from '#shared/table/table.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { LOG_KEY, logOrigin, trailEntries } from '#test/support/log/log-entries.ts';
import { testId, testName } from '../../support/ids.ts';
import { queueEvent, recordingLogEntries } from '../../support/queue.ts';
import { playEventSource } from './event-source.ts';

/** Writes that are spread over many organizations, and the calls of the integrator for them. */

export interface Load {
  /** Organizations that have a log. */
  organizations: number;
  /** Writes in a second, each to an organization by chance. */
  writes: number;
  seconds: number;
  /** Calls of the integrator at the same time. */
  calls: number;
  /** Most signatures in a second. Infinite: they are not limited. */
  signatures: number;
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

/** Times are in seconds after the first write, but for waits. */
export interface Played {
  /** Seconds from each write to the checkpoint that covers it. */
  waits: number[];
  /** When each checkpoint was signed. */
  signedAt: number[];
}

interface Playing {
  table: Table;
  objects: Objects;
  /** What a signature waits for before it is made. */
  signing: () => Promise<void>;
  /** Called once, after the logs were begun and before the writes. */
  begun: () => void;
  /**
   * Makes a call of the integrator.
   * @param at when it begins, in seconds after the first write
   * @returns how long it took, in milliseconds
   */
  call(integrate: () => Promise<void>, bodies: readonly unknown[], at: number): Promise<number>;
  /** Gets the lines about appended entries. */
  lines?: Log;
}

/**
 * Plays the writes in simulated time: the queue, its connections and the clock are simulated, and every call of the integrator
 * is a real one. Calls that run side by side in simulated time run one after another, so that they do not share the processors
 * of this machine.
 */
export async function playLoad(
  { organizations, writes, seconds, calls: width, signatures }: Load,
  { table, objects, signing, begun, call, lines = () => undefined }: Playing,
  progress: (text: string) => void,
): Promise<Played> {
  const played: Played = { waits: [], signedAt: [] };
  const ids = systemClock();
  const all = Array.from({ length: organizations }, () => new Writes(newId<OrganizationId>(ids.now())));
  const byOrigin = new Map(all.map((one) => [logOrigin(one.org), one]));
  const sent = recordingLogEntries();
  /** Milliseconds: when the present call began, simulated and real. */
  const present = { at: 0, began: performance.now() };
  const simulated = () => present.at + performance.now() - present.began;
  const start = Date.now();
  let ticks = 0;
  const sign = async (message: Uint8Array) => {
    await signing();
    const { origin, size } = parseCheckpoint(Buffer.from(message).toString());
    played.signedAt.push((simulated() - WRITES_BEGIN) / 1_000);
    played.waits.push(...(byOrigin.get(origin)?.cover(size, simulated() / 1_000) ?? []));
    return LOG_KEY.sign(message);
  };
  const services = {
    ...{ table, objects },
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
    const turns = Number.isFinite(signatures) ? { turns: new SignatureTurns(signatures) } : {};
    return { ...services, guarded, ...turns };
  });

  progress(`${organizations} logs begin`);
  const guarded = new GuardedLogs();
  for (const some of batchesOf(all, BEGUN_AT_ONCE)) {
    const event = queueEvent(some.map((one) => one.write(0)));
    await integrateMessages(event, { ...services, guarded }, { log, lines: () => undefined });
  }
  played.signedAt.length = 0;
  played.waits.length = 0;
  begun();

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
      Object.assign(present, { at, began: performance.now() });
      const integrate = async () => {
        await integrateMessages(queueEvent(bodies), container, { log, lines });
      };
      const millis = await call(integrate, bodies, (at - WRITES_BEGIN) / 1_000);
      const end = at + millis;
      return {
        millis,
        sent: sent.take().map(({ message, delaySeconds }) => ({ at: end + delaySeconds * 1_000, body: message })),
      };
    },
  });
  if (failures.length > 0) throw new Error(`The integrator logged ${JSON.stringify(failures[0])}`);
  return played;
}
