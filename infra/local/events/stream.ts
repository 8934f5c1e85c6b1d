import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  type Shard,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { localClient } from '../settings.ts';
import { CheckpointStore } from './checkpoints.ts';
import { toFunctionRecord } from './stream-records.ts';

/** A function on the stream. It returns the record that failed; the reader delivers the batch again from there. */
export type OnRecords = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;

export interface StreamOptions {
  /** Address of the local database. */
  endpoint: string;
  tableName: string;
  onRecords: OnRecords;
  /** File that stores how far the stream was delivered. @default in memory */
  checkpointFile?: string;
  /** How long the reader waits if there are no new records, in milliseconds. */
  pollMillis?: number;
}

export interface StreamReader {
  /** Stops the reader after the running batch. */
  stop(): Promise<void>;
}

const BATCH_SIZE = 100;
const POLL_MILLIS = 300;
/** After this many attempts a record is skipped, as in a region (rules/storage.md#failed-records). */
const ATTEMPTS = 10;
/** How often the list of shards is read, in milliseconds: the database sometimes begins a new shard. */
const SHARDS_MILLIS = 10_000;

/** Position of the reader in one shard. */
interface Position {
  iterator?: string | undefined;
  /** Size of the next batch. It is halved after a failure, so that a failing record delays few others. */
  limit: number;
  attempts: number;
  finished: boolean;
}

/**
 * Passes the stream of a table to a function: in batches, in order within a shard, each record at least once. Starts at the
 * checkpoint of an earlier start, otherwise at the oldest record.
 */
export async function startStream(options: StreamOptions): Promise<StreamReader> {
  const client = new DynamoDBStreamsClient(localClient(options.endpoint));
  const { Streams } = await client.send(new ListStreamsCommand({ TableName: options.tableName }));
  const arn = Streams?.at(-1)?.StreamArn;
  if (arn === undefined) throw new Error(`The table ${options.tableName} has no stream`);
  const stopping = new AbortController();
  const reader = new Reader(client, arn, options);
  const running = reader.run(stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await running;
      client.destroy();
    },
  };
}

class Reader {
  readonly #client: DynamoDBStreamsClient;
  readonly #arn: string;
  readonly #options: StreamOptions;
  readonly #checkpoints: CheckpointStore;
  readonly #positions = new Map<string, Position>();
  #shards: string[] = [];
  #shardsAt = Number.NEGATIVE_INFINITY;

  constructor(client: DynamoDBStreamsClient, arn: string, options: StreamOptions) {
    this.#client = client;
    this.#arn = arn;
    this.#options = options;
    this.#checkpoints = new CheckpointStore(options.checkpointFile, arn);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const delivered = await this.#readAllShards(signal).catch((error: unknown) => {
        if (!signal.aborted) console.error('Reading the stream failed; the reader retries', error);
        return 0;
      });
      if (delivered === 0) await pause(this.#options.pollMillis ?? POLL_MILLIS, signal);
    }
  }

  /** Reads one batch of every shard, parents before children. @returns how many records were delivered */
  async #readAllShards(signal: AbortSignal): Promise<number> {
    if (performance.now() - this.#shardsAt > SHARDS_MILLIS) await this.#refreshShards();
    let delivered = 0;
    for (const shard of this.#shards) {
      if (signal.aborted) break;
      delivered += await this.#readShard(shard);
    }
    return delivered;
  }

  async #refreshShards(): Promise<void> {
    const found: Shard[] = [];
    let last: string | undefined;
    do {
      const { StreamDescription } = await this.#client.send(
        new DescribeStreamCommand({ StreamArn: this.#arn, ExclusiveStartShardId: last }),
      );
      found.push(...(StreamDescription?.Shards ?? []));
      last = StreamDescription?.LastEvaluatedShardId;
    } while (last !== undefined);
    // Ids of shards begin with the time of their creation, so that sorting puts parents before children.
    this.#shards = found.flatMap((shard) => shard.ShardId ?? []).sort();
    this.#checkpoints.keepOnly(new Set(this.#shards));
    this.#shardsAt = performance.now();
  }

  async #readShard(shard: string): Promise<number> {
    const position = this.#positions.get(shard) ?? { limit: BATCH_SIZE, attempts: 0, finished: false };
    this.#positions.set(shard, position);
    if (position.finished) return 0;
    position.iterator ??= await this.#openIterator(shard);
    const answer = await this.#client
      .send(new GetRecordsCommand({ ShardIterator: position.iterator, Limit: position.limit }))
      .catch((error: unknown) => {
        position.iterator = undefined;
        if (error instanceof ExpiredIteratorException) return undefined;
        throw error;
      });
    if (!answer) return 0;
    const records = (answer.Records ?? []).map((record) => toFunctionRecord(record, this.#arn));
    if (records.length > 0 && !(await this.#deliver(shard, position, records))) {
      position.iterator = undefined;
      return 0;
    }
    position.iterator = answer.NextShardIterator;
    position.finished = answer.NextShardIterator === undefined;
    if (position.finished) this.#shardsAt = Number.NEGATIVE_INFINITY;
    return records.length;
  }

  async #openIterator(shard: string): Promise<string | undefined> {
    const place = { StreamArn: this.#arn, ShardId: shard };
    const oldest = new GetShardIteratorCommand({ ...place, ShardIteratorType: 'TRIM_HORIZON' });
    const last = this.#checkpoints.get(shard);
    if (last === undefined) return (await this.#client.send(oldest)).ShardIterator;
    const next = new GetShardIteratorCommand({
      ...place,
      ShardIteratorType: 'AFTER_SEQUENCE_NUMBER',
      SequenceNumber: last,
    });
    try {
      return (await this.#client.send(next)).ShardIterator;
    } catch (error) {
      if (!(error instanceof TrimmedDataAccessException)) throw error;
      return (await this.#client.send(oldest)).ShardIterator;
    }
  }

  /**
   * Delivers a batch and stores the checkpoint.
   *
   * @returns whether the whole batch is done; if not, the reader resumes at the first record that is not done
   */
  async #deliver(shard: string, position: Position, records: DynamoDBRecord[]): Promise<boolean> {
    const done = await this.#callFunction(records);
    const lastDone = records[done - 1]?.dynamodb?.SequenceNumber;
    if (lastDone !== undefined) {
      this.#checkpoints.set(shard, lastDone);
      position.attempts = 0;
    }
    if (done === records.length) {
      position.limit = BATCH_SIZE;
      return true;
    }
    position.limit = Math.max(1, Math.floor(position.limit / 2));
    if (records.length > 1 || done > 0) return false;
    position.attempts += 1;
    if (position.attempts < ATTEMPTS) return false;
    const [skipped] = records;
    console.error(`Skipping a record of the stream after ${ATTEMPTS} attempts`, skipped?.eventID);
    this.#checkpoints.set(shard, skipped?.dynamodb?.SequenceNumber ?? '');
    position.attempts = 0;
    return true;
  }

  /** @returns how many records were done, counted from the first one */
  async #callFunction(records: DynamoDBRecord[]): Promise<number> {
    try {
      const { batchItemFailures } = await this.#options.onRecords({ Records: records });
      if (batchItemFailures.length === 0) return records.length;
      const failed = new Set(batchItemFailures.map((failure) => failure.itemIdentifier));
      const first = records.findIndex((record) => failed.has(record.dynamodb?.SequenceNumber ?? ''));
      // If the failed record is not in the batch, the whole batch has failed, as for the event source of a region.
      return Math.max(0, first);
    } catch (error) {
      console.error('The function on the stream failed; the reader calls it again', error);
      return 0;
    }
  }
}

async function pause(millis: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(millis, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
