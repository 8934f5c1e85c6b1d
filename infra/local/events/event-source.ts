import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { GivenUp } from './failure-message.ts';
import { pause } from './pause.ts';
import { afterCall, type Batch, type CallOutcome, dueRecords, type RetryLimits } from './retries.ts';
import { hashOf, type ShardSink } from './shards.ts';

/** A function on the stream. It returns the records that failed; the event source retries from the lowest one. */
export type OnRecords = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;

export interface EventSourceSettings extends RetryLimits {
  /** Most records of one call. */
  batch: number;
  /** Calls at the same time per shard. */
  parallel: number;
  /** How long a batch that is not full waits for further records, in milliseconds. @default not at all */
  windowMillis?: number;
  /** How long the source waits before it calls the function again after a failure, in milliseconds. */
  retryMillis: number;
}

export interface EventSourceOptions extends EventSourceSettings {
  streamArn: string;
  onRecords: OnRecords;
  /** Called when records need no further call, in groups: processed or given up. */
  onDone: (records: readonly DynamoDBRecord[]) => void;
  /** Sends a message about records that were given up. */
  onGivenUp: (givenUp: GivenUp) => Promise<void>;
}

interface Lane {
  waiting: DynamoDBRecord[];
  running: boolean;
}

interface OpenShard {
  id: string;
  parent: string | undefined;
  isClosed: boolean;
  lanes: readonly Lane[];
}

/**
 * Calls a function with the records of shards, as the event source of a region does (rules/storage.md#event-source). A
 * shard is read after its parent is finished. Inside a shard several calls run at the same time; a record's lane follows
 * from the key of its item, so the records of one item keep their order.
 */
export class EventSource implements ShardSink {
  readonly #options: EventSourceOptions;
  readonly #stopping = new AbortController();
  /** Shards that are not finished. A parent that is not here is finished. */
  readonly #shards = new Map<string, OpenShard>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: EventSourceOptions) {
    this.#options = options;
  }

  open(id: string, parent: string | undefined): void {
    const lanes = Array.from({ length: this.#options.parallel }, () => ({ waiting: [], running: false }));
    this.#shards.set(id, { id, parent, isClosed: false, lanes });
  }

  close(id: string): void {
    const shard = this.#unfinished(id);
    shard.isClosed = true;
    this.#finishIfDone(shard);
  }

  /** Takes a record of an open shard. The call of the function follows later. */
  add(id: string, record: DynamoDBRecord): void {
    const shard = this.#unfinished(id);
    const { pk, sk } = record.dynamodb?.Keys ?? {};
    const lane = shard.lanes[hashOf(JSON.stringify([pk, sk])) % shard.lanes.length];
    lane?.waiting.push(record);
  }

  /** Starts the lanes that have records. The reader calls it after it has added what it read. */
  start(): void {
    for (const shard of this.#shards.values()) this.#startLanes(shard);
  }

  /** Waits for the running calls. Records that were not called yet stay undone. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  #unfinished(id: string): OpenShard {
    const shard = this.#shards.get(id);
    if (!shard) throw new Error(`The shard ${id} is not open`);
    return shard;
  }

  #startLanes(shard: OpenShard): void {
    if (this.#waitsForParent(shard)) return;
    for (const lane of shard.lanes) {
      if (lane.running || lane.waiting.length === 0) continue;
      lane.running = true;
      const running = this.#runLane(shard, lane).finally(() => {
        lane.running = false;
        this.#running.delete(running);
        this.#finishIfDone(shard);
      });
      this.#running.add(running);
    }
  }

  #waitsForParent({ parent }: OpenShard): boolean {
    return parent !== undefined && this.#shards.has(parent);
  }

  #finishIfDone(shard: OpenShard): void {
    const isIdle = shard.lanes.every(({ running, waiting }) => !running && waiting.length === 0);
    if (!shard.isClosed || !isIdle || this.#waitsForParent(shard) || this.#stopping.signal.aborted) return;
    this.#shards.delete(shard.id);
    const children = [...this.#shards.values()].filter(({ parent }) => parent === shard.id);
    for (const child of children) {
      this.#startLanes(child);
      // A child can have ended without a record.
      this.#finishIfDone(child);
    }
  }

  async #runLane(shard: OpenShard, lane: Lane): Promise<void> {
    const { batch, windowMillis = 0 } = this.#options;
    const { signal } = this.#stopping;
    while (lane.waiting.length > 0 && !signal.aborted) {
      if (windowMillis > 0 && lane.waiting.length < batch) await pause(windowMillis, signal);
      if (signal.aborted) return;
      await this.#process(shard, { records: lane.waiting.splice(0, batch), retries: 0 });
    }
  }

  /** Calls the function until every record of a batch is processed or given up, or until the source stops. */
  async #process(shard: OpenShard, first: Batch): Promise<void> {
    const { signal } = this.#stopping;
    let rest: Batch[] = [first];
    while (!signal.aborted) {
      const [batch, ...others] = rest;
      if (!batch) return;
      const { next, givenUp } = dueRecords(batch, this.#options, Date.now());
      if (givenUp) await this.#giveUp({ ...givenUp, shard: shard.id, calls: batch.retries });
      if (next.records.length === 0) {
        rest = others;
        continue;
      }
      const { done, again } = afterCall(next, await this.#call(next.records));
      if (done > 0) this.#options.onDone(next.records.slice(0, done));
      rest = [...again, ...others];
      if (again.length > 0) await pause(this.#options.retryMillis, signal);
    }
  }

  async #giveUp(givenUp: Omit<GivenUp, 'streamArn'>): Promise<void> {
    const { records, reason } = givenUp;
    console.error(`The event source gives up ${records.length} records: ${reason}`, records[0]?.eventID);
    try {
      await this.#options.onGivenUp({ ...givenUp, streamArn: this.#options.streamArn });
    } catch (error) {
      // As in a region, records that the failure destination does not take are lost to it. The sweeps still find them.
      console.error('The failure destination did not take the message about records that were given up', error);
    }
    this.#options.onDone(records);
  }

  async #call(records: readonly DynamoDBRecord[]): Promise<CallOutcome> {
    try {
      return await this.#options.onRecords({ Records: [...records] });
    } catch (error) {
      console.error('The function on the stream failed; the event source calls it again', error);
      return 'threw';
    }
  }
}
