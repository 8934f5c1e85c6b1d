import { DynamoDBStreamsClient, ListStreamsCommand } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { passesFilter, RELAY_SOURCE } from '../../event-source.ts';
import { localClient } from '../settings.ts';
import { CheckpointStore, PendingRecords } from './checkpoints.ts';
import { DatabaseStream } from './database-stream.ts';
import { EventSource, type EventSourceSettings, type OnRecords } from './event-source.ts';
import type { GivenUp } from './failure-message.ts';
import { pause } from './pause.ts';
import { type ShardSettings, Shards } from './shards.ts';

export interface StreamOptions {
  /** Address of the local database. */
  endpoint: string;
  tableName: string;
  onRecords: OnRecords;
  /** File that stores how far the stream was delivered. @default in memory */
  checkpointFile?: string | undefined;
  /** Gets every record before the function does, and is told when the stream was read to its end. @default nobody does */
  journal?: StreamJournal | undefined;
  /** How long the reader waits between two reads, in milliseconds. @default as the event source of a region */
  pollMillis?: number;
  /** Returns the time of the stack's last write to the table, as `performance.now()`. @default each poll reads the stream */
  lastWrite?: (() => number) | undefined;
  /** Settings that differ from those of a region. */
  settings?: Partial<EventSourceSettings>;
  /** How the stream is divided into shards. @default up to four shards, each of 2,000 records */
  shards?: ShardSettings;
  /** Sends a message about records that were given up. @default only a line of the log */
  onGivenUp?: (givenUp: GivenUp) => Promise<void>;
}

/** Keeps what the reader reads. */
interface StreamJournal {
  /** @param shard shard of the database */
  add(shard: string, records: readonly DynamoDBRecord[]): void;
  /** @param since when the read began that found no more records, in milliseconds since the epoch */
  caughtUp(since: number): void;
}

interface StreamReader {
  /** Stops the reader after the running calls. */
  stop(): Promise<void>;
}

/** A region reads each shard four times a second. */
const POLL_MILLIS = 250;
const SHARDS: ShardSettings = { records: 2_000, most: 4 };
/** While this many records wait, the reader does not read more. */
const MOST_PENDING = 20_000;
/** How long after a write the reader reads at every poll, in milliseconds. */
const BUSY_MILLIS = 1_000;
/** How often the reader reads while the stack writes nothing, in milliseconds: other programs can write to the table too. */
const QUIET_MILLIS = 2_000;

/**
 * Passes the stream of a table to a function, as the event source of a region does (rules/storage.md#event-source). Starts
 * at the checkpoint of an earlier start, otherwise at the oldest record. Division into shards begins anew with each start.
 */
export async function startStream(options: StreamOptions): Promise<StreamReader> {
  const client = new DynamoDBStreamsClient(localClient(options.endpoint));
  const { Streams } = await client.send(new ListStreamsCommand({ TableName: options.tableName }));
  const arn = Streams?.at(-1)?.StreamArn;
  if (arn === undefined) throw new Error(`The table ${options.tableName} has no stream`);
  const stopping = new AbortController();
  const checkpoints = new CheckpointStore(options.checkpointFile, arn);
  const delivery = new Delivery(arn, checkpoints, options);
  const running = run(new DatabaseStream(client, arn, checkpoints), delivery, options, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await running;
      await delivery.stop();
      client.destroy();
    },
  };
}

async function run(
  stream: DatabaseStream,
  delivery: Delivery,
  { pollMillis = POLL_MILLIS, lastWrite = () => performance.now(), journal }: StreamOptions,
  signal: AbortSignal,
): Promise<void> {
  /** Time of the last read if it found no record. */
  let emptyAt = Number.NEGATIVE_INFINITY;
  // A read takes as much processor time as a small request, so a stack without writes skips most reads.
  const isDue = () => {
    const now = performance.now();
    return now - lastWrite() < BUSY_MILLIS || now - emptyAt > QUIET_MILLIS;
  };
  while (!signal.aborted) {
    let isMore = false;
    try {
      if (delivery.pending < MOST_PENDING && isDue()) {
        let found = 0;
        const since = Date.now();
        for await (const { shard, records, isFull } of stream.read()) {
          journal?.add(shard, records);
          delivery.add(shard, records);
          found += records.length;
          isMore ||= isFull;
        }
        if (!isMore) journal?.caughtUp(since);
        emptyAt = found === 0 ? performance.now() : Number.NEGATIVE_INFINITY;
      }
    } catch (error) {
      if (!signal.aborted) console.error('Reading the stream failed; the reader retries', error);
    }
    if (!isMore) await pause(pollMillis, signal);
  }
}

/** Passes the records that were read to the event source, and stores how far they are done. */
class Delivery {
  readonly #checkpoints: CheckpointStore;
  readonly #source: EventSource;
  readonly #shards: Shards;
  /** Records that are not done, by the shard of the database. */
  readonly #pending = new Map<string, PendingRecords>();
  readonly #shardOf = new WeakMap<DynamoDBRecord, string>();

  constructor(streamArn: string, checkpoints: CheckpointStore, options: StreamOptions) {
    this.#checkpoints = checkpoints;
    this.#source = new EventSource({
      ...RELAY_SOURCE,
      retryMillis: options.pollMillis ?? POLL_MILLIS,
      ...options.settings,
      streamArn,
      onRecords: options.onRecords,
      onDone: (records) => this.#done(records),
      onGivenUp: async (givenUp) => {
        const [first] = givenUp.records;
        // Only the shard of the database is known to the database, so that an operator can read it.
        await options.onGivenUp?.({ ...givenUp, shard: (first && this.#shardOf.get(first)) ?? givenUp.shard });
      },
    });
    this.#shards = new Shards(this.#source, options.shards ?? SHARDS);
  }

  get pending(): number {
    return [...this.#pending.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Adds records. Those that the filter drops need no call, so they are done (rules/storage.md#filter). */
  add(shard: string, records: readonly DynamoDBRecord[]): void {
    const dropped: DynamoDBRecord[] = [];
    for (const record of records) {
      this.#shardOf.set(record, shard);
      this.#pendingOf(shard).add(record.dynamodb?.SequenceNumber ?? '');
      if (passesFilter(record.dynamodb?.NewImage)) this.#source.add(this.#shards.shardOf(record), record);
      else dropped.push(record);
    }
    this.#done(dropped);
    this.#source.start();
  }

  stop(): Promise<void> {
    return this.#source.stop();
  }

  #done(records: readonly DynamoDBRecord[]): void {
    const touched = new Set<string>();
    for (const record of records) {
      const shard = this.#shardOf.get(record) ?? '';
      this.#pendingOf(shard).done(record.dynamodb?.SequenceNumber ?? '');
      touched.add(shard);
    }
    for (const shard of touched) {
      const checkpoint = this.#pendingOf(shard).checkpoint();
      if (checkpoint !== undefined) this.#checkpoints.set(shard, checkpoint);
    }
  }

  #pendingOf(shard: string): PendingRecords {
    const pending = this.#pending.get(shard) ?? new PendingRecords();
    this.#pending.set(shard, pending);
    return pending;
  }
}
