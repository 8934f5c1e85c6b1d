import * as z from 'zod';
import { DATA_FORMAT } from '#shared/base/data-format.ts';
import { sentence } from '#shared/base/errors.ts';
import { type Clock, type Duration, type Micros, minus, StoredMicros } from '#shared/base/time.ts';
import { change } from './expressions.ts';
import { tableStateKey } from './keys.ts';
import type { Table, Write } from './table.ts';

/** How long a process believes what it read. After this time, every function keeps to a change of the state. */
const TRUST: Duration = 10_000_000;

/** How the whole table stands. A table without the item has the first format and takes writes. */
const StoredState = z.object({
  format: z.int().min(1).default(1),
  closed_at: StoredMicros.optional(),
  organizations: z.int().default(0),
});

interface StateOfTable {
  /** The newest data format of the table's items. */
  format: number;
  /** Since when the table takes no writes; absent in normal operation. */
  closedAt?: Micros | undefined;
  /** Number of shared organizations. */
  organizations: number;
}

// rules/requests.md#maintenance
export const inMaintenance = sentence(
  'unavailable',
  'The service is in maintenance: it answers reads and takes no changes. Try again later',
);
// rules/storage.md#data-format
export const newerFormat = sentence(
  'unavailable',
  'The table has data format {format}, and this release reads formats up to {known}. Deploy the release that wrote it',
);

/** Reads how a table stands. */
export async function readState(table: Table): Promise<StateOfTable> {
  const { format, closed_at: closedAt, organizations } = StoredState.parse((await table.get(tableStateKey())) ?? {});
  return { format, closedAt, organizations };
}

/**
 * Closes a table for writes, or opens it again. Functions keep to it within {@link TRUST}; requests that run may end later.
 * @param closedAt the present instant; absent to open the table
 */
export async function setClosed(table: Table, closedAt: Micros | undefined): Promise<void> {
  const changes = closedAt === undefined ? { remove: ['closed_at'] } : { setOnce: { closed_at: closedAt } };
  await table.update(tableStateKey(), change({ set: { v: 1 }, ...changes }));
}

/** Returns the write that counts a new shared organization. */
export const countOrganization = (): Write => ({
  update: tableStateKey(),
  ...change({ set: { v: 1 }, add: { organizations: 1 } }),
});

/**
 * What a process knows of the state of its table. It reads the state at its first request and then at most once in
 * {@link TRUST}, so that no request waits for it otherwise.
 */
export class TableState {
  readonly #table: Table;
  readonly #clock: Clock;
  #known: { state: StateOfTable; readAt: Micros } | undefined;

  constructor({ table, clock }: { table: Table; clock: Clock }) {
    this.#table = table;
    this.#clock = clock;
  }

  /**
   * Returns whether the table takes no writes now.
   * @throws ServiceError `unavailable` if the table has a data format that this release does not know
   */
  async isClosed(): Promise<boolean> {
    const { format, closedAt } = await this.#state();
    if (format > DATA_FORMAT) throw newerFormat({ format, known: DATA_FORMAT });
    return closedAt !== undefined;
  }

  /** Returns whether the table has more than one shared organization. */
  async isShared(): Promise<boolean> {
    return (await this.#state()).organizations > 1;
  }

  /** @throws ServiceError `unavailable` if the table takes no writes, or has a data format that this release does not know */
  async admitWrite(): Promise<void> {
    if (await this.isClosed()) throw inMaintenance();
  }

  async #state(): Promise<StateOfTable> {
    const now = this.#clock.now();
    if (this.#known && this.#known.readAt > minus(now, TRUST)) return this.#known.state;
    const state = await readState(this.#table);
    this.#known = { state, readAt: now };
    return state;
  }
}
