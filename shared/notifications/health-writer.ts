import { setTimeout as sleep } from 'node:timers/promises';
import type { OrganizationId } from '#shared/base/ids.ts';
import { updateHealth } from '#shared/notifications/records/target-health.ts';
import type { Attempt, TargetHealth } from '#shared/notifications/rules/records.ts';
import type { Table } from '#shared/table/table.ts';

/** The shortest time between two writes of a target's health, unless its state changes. */
export const WRITTEN_EVERY_MILLIS = 1_000;

/** At this many targets, the memory drops the targets without unwritten attempts. That costs a few writes, no wrong one. */
const MEMORY_LIMIT = 10_000;

/** A target of an action. */
export interface TargetRef {
  org: OrganizationId;
  action: number;
  target: string;
}

type AttemptResult = Pick<Attempt, 'at' | 'outcome'>;

interface Memory {
  ref: TargetRef;
  /** When this container last wrote the health, by the clock of {@link WriterTime}. */
  writtenAt: number;
  /** Whether the target was failing by the health that was written last; undefined if that is not known. */
  failing: boolean | undefined;
  /** Attempts that are stored but not yet folded into the health. */
  unwritten: AttemptResult[];
  /** The last write of this target. Writes of one target run one after the other. */
  writing: Promise<void>;
}

export interface WriterTime {
  /** A clock in milliseconds that never goes back. */
  elapsed: () => number;
  sleep: (millis: number) => Promise<unknown>;
}

/**
 * Folds attempts into the stored health of targets (`rules/notifications.md#books-and-health`): at once if the state
 * changes, else at most once per second and target. {@link flush} ends only after all attempts are written.
 */
export class HealthWriter {
  readonly #time: WriterTime;
  readonly #targets = new Map<string, Memory>();

  constructor(time: WriterTime = { elapsed: () => performance.now(), sleep }) {
    this.#time = time;
  }

  /** Adds a stored attempt. Writes the health now if the state changes or a second has passed since the last write. */
  async add(table: Table, ref: TargetRef, attempt: AttemptResult): Promise<void> {
    const memory = this.#memoryOf(ref);
    memory.unwritten.push({ at: attempt.at, outcome: attempt.outcome });
    const isChange = memory.failing !== (attempt.outcome !== 'delivered') || attempt.outcome === 'gone';
    if (isChange || this.#millisToWrite(memory) <= 0) await this.#write(table, memory);
  }

  /** Writes all unwritten attempts of the targets. For each target it waits until a second has passed since the last write. */
  async flush(table: Table, targets: Iterable<TargetRef>): Promise<void> {
    const memories = new Set([...targets].map((ref) => this.#memoryOf(ref)));
    await Promise.all(
      [...memories].map(async (memory) => {
        while (memory.unwritten.length > 0) {
          const wait = this.#millisToWrite(memory);
          // During the sleep, another batch of the same container may write the attempts.
          if (wait > 0) await this.#time.sleep(wait);
          else await this.#write(table, memory);
        }
        await memory.writing;
      }),
    );
  }

  #memoryOf(ref: TargetRef): Memory {
    const key = `${ref.org}#${ref.action}#${ref.target}`;
    const known = this.#targets.get(key);
    if (known) return known;
    if (this.#targets.size >= MEMORY_LIMIT) this.#forgetWritten();
    const memory: Memory = {
      ref,
      writtenAt: Number.NEGATIVE_INFINITY,
      failing: undefined,
      unwritten: [],
      writing: Promise.resolve(),
    };
    this.#targets.set(key, memory);
    return memory;
  }

  #forgetWritten(): void {
    for (const [key, { unwritten }] of this.#targets) if (unwritten.length === 0) this.#targets.delete(key);
  }

  #millisToWrite({ writtenAt }: Memory): number {
    return writtenAt + WRITTEN_EVERY_MILLIS - this.#time.elapsed();
  }

  #write(table: Table, memory: Memory): Promise<void> {
    const write = async () => {
      const attempts = memory.unwritten.splice(0);
      if (attempts.length === 0) return;
      memory.writtenAt = this.#time.elapsed();
      const { org, action, target } = memory.ref;
      try {
        const health = await updateHealth(table, org, action, target, attempts);
        memory.failing = isFailing(health);
      } catch (error) {
        // The next call of `add` or `flush` tries again. The queue delivers the messages of this caller again.
        memory.unwritten.unshift(...attempts);
        memory.failing = undefined;
        throw error;
      }
    };
    // If the write before failed, its own caller handles the error. This write runs in any case.
    const own = memory.writing.then(write, write);
    memory.writing = own;
    return own;
  }
}

const isFailing = ({ lastSuccess, lastFailure }: TargetHealth): boolean => lastFailure > lastSuccess;

/** Shared by all calls of one container. */
export const containerHealth = new HealthWriter();
