import { setTimeout as sleep } from 'node:timers/promises';
import type { OrganizationId } from '#shared/base/ids.ts';
import { updateHealth } from '#shared/notifications/records/target-health.ts';
import type { Attempt, TargetHealth } from '#shared/notifications/rules/records.ts';
import type { Table } from '#shared/table/table.ts';

/** A target's health is written on a change of state, else at most this often (design §2.8). */
export const WRITTEN_EVERY_MILLIS = 1_000;

/** Beyond this many targets the memory begins anew: that costs a few writes, never a wrong one. */
const MEMORY_LIMIT = 10_000;

/** Whose health it is. */
export interface HealthOf {
  org: OrganizationId;
  action: number;
  target: string;
}

type Told = Pick<Attempt, 'at' | 'outcome'>;

interface Memory {
  of: HealthOf;
  /** On the forward clock; the health was never written by this container before. */
  writtenAt: number;
  /** Whether the health that was written last says that the target is failing. */
  failing: boolean | undefined;
  /** Attempts that are in the books and not yet in the health. */
  waiting: Told[];
  /** Writes of one target follow each other. */
  writing: Promise<void>;
}

export interface KeeperTime {
  /** A clock that only goes forward, in milliseconds. */
  elapsed: () => number;
  sleep: (millis: number) => Promise<unknown>;
}

/**
 * Takes attempts into the health of targets: at once where the state changes, else once a second. Nothing that waits is
 * left behind: {@link settle} ends when it is written.
 */
export class HealthKeeper {
  readonly #time: KeeperTime;
  readonly #targets = new Map<string, Memory>();

  constructor(time: KeeperTime = { elapsed: () => performance.now(), sleep }) {
    this.#time = time;
  }

  /** Notes an attempt that is in the books. */
  async note(table: Table, of: HealthOf, attempt: Told): Promise<void> {
    const memory = this.#memoryOf(of);
    memory.waiting.push({ at: attempt.at, outcome: attempt.outcome });
    const isChange = memory.failing !== (attempt.outcome !== 'delivered') || attempt.outcome === 'gone';
    if (isChange || this.#waitOf(memory) <= 0) await this.#write(table, memory);
  }

  /** Writes what still waits of these targets, each when a second has passed since it was written last. */
  async settle(table: Table, targets: Iterable<HealthOf>): Promise<void> {
    const memories = new Set([...targets].map((of) => this.#memoryOf(of)));
    await Promise.all(
      [...memories].map(async (memory) => {
        while (memory.waiting.length > 0) {
          const wait = this.#waitOf(memory);
          if (wait > 0) await this.#time.sleep(wait);
          // Another batch of the same container may have written it meanwhile.
          else await this.#write(table, memory);
        }
        await memory.writing;
      }),
    );
  }

  #memoryOf(of: HealthOf): Memory {
    const key = `${of.org}#${of.action}#${of.target}`;
    const known = this.#targets.get(key);
    if (known) return known;
    if (this.#targets.size >= MEMORY_LIMIT) this.#forgetSettled();
    const memory: Memory = {
      ...{ of, writtenAt: Number.NEGATIVE_INFINITY, failing: undefined, waiting: [] },
      writing: Promise.resolve(),
    };
    this.#targets.set(key, memory);
    return memory;
  }

  #forgetSettled(): void {
    for (const [key, { waiting }] of this.#targets) if (waiting.length === 0) this.#targets.delete(key);
  }

  #waitOf({ writtenAt }: Memory): number {
    return writtenAt + WRITTEN_EVERY_MILLIS - this.#time.elapsed();
  }

  #write(table: Table, memory: Memory): Promise<void> {
    const write = async () => {
      const attempts = memory.waiting.splice(0);
      if (attempts.length === 0) return;
      memory.writtenAt = this.#time.elapsed();
      const { org, action, target } = memory.of;
      try {
        const health = await updateHealth(table, org, action, target, attempts);
        memory.failing = isFailing(health);
      } catch (error) {
        // Whoever notes or settles next tries again; this caller's messages come again.
        memory.waiting.unshift(...attempts);
        memory.failing = undefined;
        throw error;
      }
    };
    // A failure of the write before is the concern of whoever waited for it.
    const own = memory.writing.then(write, write);
    memory.writing = own;
    return own;
  }
}

const isFailing = ({ lastSuccess, lastFailure }: TargetHealth): boolean => lastFailure > lastSuccess;

/** What the calls of one container share. */
export const containerHealth = new HealthKeeper();
