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

/** What a function on the stream does; failures name the first record to be sent again. */
export type OnRecords = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;

export interface StreamOptions {
  /** Address of the local database. */
  endpoint: string;
  tableName: string;
  onRecords: OnRecords;
  /** Where to remember how far the stream was read; in memory when absent. */
  checkpointFile?: string;
  /** Milliseconds between looks at a quiet stream. */
  pollMillis?: number;
}

export interface StreamReader {
  /** Waits for the running batch, then ends. */
  stop(): Promise<void>;
}

const BATCH_SIZE = 100;
const POLL_MILLIS = 300;
/** How often a record is tried before it is passed over, as the deployed function's event source does. */
const ATTEMPTS = 10;
/** How often the list of shards is looked at: the database begins a new one now and then. */
const SHARDS_MILLIS = 10_000;

/** Place of the reader in one shard. */
interface Position {
  iterator?: string | undefined;
  /** Size of the next batch: halved after a failure, so that one bad record delays few others. */
  limit: number;
  attempts: number;
  finished: boolean;
}

/**
 * Hands the table's stream to a function: in order within a shard, in batches, at least once, from the oldest record
 * on or from where the last start came to.
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
      const handed = await this.#round(signal).catch((error: unknown) => {
        if (!signal.aborted) console.error('Reading the stream failed and is tried again', error);
        return 0;
      });
      if (handed === 0) await pause(this.#options.pollMillis ?? POLL_MILLIS, signal);
    }
  }

  /** One batch of every shard, parents before children. @returns how many records were handed on */
  async #round(signal: AbortSignal): Promise<number> {
    if (performance.now() - this.#shardsAt > SHARDS_MILLIS) await this.#lookForShards();
    let handed = 0;
    for (const shard of this.#shards) {
      if (signal.aborted) break;
      handed += await this.#readShard(shard);
    }
    return handed;
  }

  async #lookForShards(): Promise<void> {
    const found: Shard[] = [];
    let last: string | undefined;
    do {
      const { StreamDescription } = await this.#client.send(
        new DescribeStreamCommand({ StreamArn: this.#arn, ExclusiveStartShardId: last }),
      );
      found.push(...(StreamDescription?.Shards ?? []));
      last = StreamDescription?.LastEvaluatedShardId;
    } while (last !== undefined);
    // Shards are listed from old to new; ids begin with the time of their making.
    this.#shards = found.flatMap((shard) => shard.ShardId ?? []).sort();
    this.#checkpoints.keepOnly(new Set(this.#shards));
    this.#shardsAt = performance.now();
  }

  async #readShard(shard: string): Promise<number> {
    const position = this.#positions.get(shard) ?? { limit: BATCH_SIZE, attempts: 0, finished: false };
    this.#positions.set(shard, position);
    if (position.finished) return 0;
    position.iterator ??= await this.#open(shard);
    const answer = await this.#client
      .send(new GetRecordsCommand({ ShardIterator: position.iterator, Limit: position.limit }))
      .catch((error: unknown) => {
        position.iterator = undefined;
        if (error instanceof ExpiredIteratorException) return undefined;
        throw error;
      });
    if (!answer) return 0;
    const records = (answer.Records ?? []).map((record) => toFunctionRecord(record, this.#arn));
    if (records.length > 0 && !(await this.#handOn(shard, position, records))) {
      position.iterator = undefined;
      return 0;
    }
    position.iterator = answer.NextShardIterator;
    position.finished = answer.NextShardIterator === undefined;
    if (position.finished) this.#shardsAt = Number.NEGATIVE_INFINITY;
    return records.length;
  }

  async #open(shard: string): Promise<string | undefined> {
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

  /** @returns whether the whole batch is done; otherwise the reader goes back to the first record that is not */
  async #handOn(shard: string, position: Position, records: DynamoDBRecord[]): Promise<boolean> {
    const done = await this.#run(records);
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
    const [given] = records;
    console.error(`Passing over a record of the stream after ${ATTEMPTS} attempts`, given?.eventID);
    this.#checkpoints.set(shard, given?.dynamodb?.SequenceNumber ?? '');
    position.attempts = 0;
    return true;
  }

  /** @returns how many records from the first on were done */
  async #run(records: DynamoDBRecord[]): Promise<number> {
    try {
      const { batchItemFailures } = await this.#options.onRecords({ Records: records });
      if (batchItemFailures.length === 0) return records.length;
      const failed = new Set(batchItemFailures.map((failure) => failure.itemIdentifier));
      const first = records.findIndex((record) => failed.has(record.dynamodb?.SequenceNumber ?? ''));
      // A failure without a place is a failure of everything, as the deployed event source sees it.
      return Math.max(0, first);
    } catch (error) {
      console.error('The function on the stream failed and is called again', error);
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
