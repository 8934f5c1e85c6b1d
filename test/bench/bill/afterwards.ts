import { expandMessages } from '#functions/expander/expand-messages.ts';
import { notify } from '#functions/notifier/notify.ts';
import { RelayMemory } from '#functions/relay/memory.ts';
import { relay } from '#functions/relay/relay.ts';
import type { RelayServices } from '#functions/relay/services.ts';
import { passesFilter } from '#infra/event-source.ts';
import { EnvironmentMemory } from '#shared/environments/environment-memory.ts';
import { HealthWriter } from '#shared/notifications/health-writer.ts';
import type { NotifierServices } from '#shared/notifications/services.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { keyText } from '#shared/table/table.ts';
import type { Recording } from '#test/support/table/recorder.ts';
import { streamRecord } from '#test/support/table/stream.ts';
import { writtenKeys } from '#test/support/table/unit-costs.ts';
import { queueEvent, recordingExpansions, recordingQueue, recordingQueues } from '../../support/queue.ts';
import type { BenchStack } from '../bench-stack.ts';
import { sum, type Usage } from '../prices.ts';
import { type MemoryOf, RECEIVED_MESSAGE, recordedUsage } from './usage-of.ts';

/** What the functions behind the stream use for the writes of one request. */

/** Records of the stream cause writes, which cause records. More rounds than these mean that the work does not end. */
const MOST_ROUNDS = 10;

/** Allows webhooks to this machine. */
export const LOOPBACK = addressGuard(['127.0.0.0/8']);

/** What a call of a function wrote and used. */
interface Worked {
  recording: Recording;
  usage: Usage;
}

/** The functions behind the stream, without the log: the log joins the writes of seconds (log-cost.ts). */
export class Afterwards {
  readonly #stack: BenchStack;
  readonly #memoryOf: MemoryOf;
  readonly #passes: typeof passesFilter;
  readonly #deliveries = recordingQueue();
  readonly #expansions = recordingExpansions();
  readonly #services: RelayServices & NotifierServices;

  /** @param passes whether the event source calls the relay for an item */
  constructor(stack: BenchStack, memoryOf: MemoryOf, passes: typeof passesFilter = passesFilter) {
    this.#passes = passes;
    this.#stack = stack;
    this.#memoryOf = memoryOf;
    this.#services = {
      ...stack.services,
      ...recordingQueues(),
      deliveries: this.#deliveries.queue,
      expansions: this.#expansions.queue,
      guard: LOOPBACK,
      host: 'https://evidence.example.com',
      mailer: {
        send: () => Promise.reject(new Error('No action of the bill sends mail')),
      },
    };
  }

  /**
   * Applies the effects of recorded writes, and the effects of these effects. Each function starts without memories, and
   * each record and each message gets a call of its own: with more traffic, calls are shared and cost less.
   */
  async of(recording: Recording): Promise<Usage> {
    const used: Usage[] = [];
    let written = [recording];
    for (let round = 0; written.some(hasWrites) || this.#sent() > 0; round += 1) {
      if (round === MOST_ROUNDS) throw new Error(`The effects of a request did not end after ${MOST_ROUNDS} rounds`);
      const records = (await Promise.all(written.filter(hasWrites).map((one) => this.#recordsOf(one)))).flat();
      const worked: Worked[] = [];
      if (records.length > 0) {
        worked.push(
          await this.#run('relay', () =>
            relay({ Records: records }, this.#services, { memory: new RelayMemory(), log: () => {}, lines: () => {} }),
          ),
        );
      }
      for (const { message } of this.#expansions.take()) {
        const event = queueEvent([message]);
        worked.push(
          await this.#run('expander', () =>
            expandMessages(event, this.#services, { memory: new EnvironmentMemory(), log: () => {}, lines: () => {} }),
          ),
        );
      }
      for (const { message } of this.#deliveries.take()) {
        const event = queueEvent([message]);
        worked.push(
          await this.#run('notifier', () =>
            notify(event, this.#services, { health: new HealthWriter(), log: () => {} }),
          ),
        );
      }
      used.push(...worked.map(({ usage }) => usage));
      written = worked.map(({ recording }) => recording);
    }
    return sum(used);
  }

  /** Runs a call of a function. @throws Error if it did not handle every record or message */
  async #run(
    name: 'relay' | 'expander' | 'notifier',
    call: () => Promise<{ batchItemFailures: readonly unknown[] }>,
  ): Promise<Worked> {
    const sentBefore = this.#sent();
    const recording = await this.#stack.recorder.record(async () => {
      const { batchItemFailures } = await call();
      if (batchItemFailures.length > 0) throw new Error(`The ${name} failed`);
    });
    const message = name === 'relay' ? {} : RECEIVED_MESSAGE;
    const usage = sum([
      recordedUsage(recording, this.#memoryOf(name)),
      message,
      { queueRequests: this.#sent() - sentBefore },
    ]);
    return { recording, usage };
  }

  /** Messages that wait. Each was sent with a request of its own. */
  #sent(): number {
    return this.#deliveries.sent.length + this.#expansions.sent.length;
  }

  /** The records of the stream for what a recorded call wrote, without those that the event source drops. */
  async #recordsOf(recording: Recording) {
    const calls = recording.calls.filter(({ input }) => input['Bucket'] === undefined);
    const old = new Set(calls.flatMap(({ before }) => before.map(keyText)));
    const keys = new Map(
      calls.flatMap(({ command, input }) => writtenKeys(command, input).map((key) => [keyText(key), key] as const)),
    );
    const items = await this.#stack.services.table.getMany([...keys.values()]);
    return [...items]
      .map(([key, item]) => streamRecord(item, old.has(key) ? 'MODIFY' : 'INSERT'))
      .filter(({ dynamodb }) => this.#passes(dynamodb?.NewImage));
  }
}

const hasWrites = ({ write }: Recording): boolean => write > 0;
