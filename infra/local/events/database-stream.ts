import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import type { CheckpointStore } from './checkpoints.ts';
import { toFunctionRecord } from './stream-records.ts';

/** How often the list of shards is read, in milliseconds: the database sometimes begins a new shard. */
const SHARDS_MILLIS = 10_000;
/** Most records of one read: the maximum of the database. */
const READ_LIMIT = 1_000;

interface ReadRecords {
  /** Shard of the database. */
  shard: string;
  records: DynamoDBRecord[];
  /** Whether the database probably has more records of this shard already. */
  isFull: boolean;
}

/** Position of the reader in one shard. */
interface Position {
  iterator?: string | undefined;
  /** Sequence number of the last record that was read. */
  last?: string | undefined;
  isFinished: boolean;
}

/** Reads the records of a stream of the local database, each once, from the stored checkpoints on. */
export class DatabaseStream {
  readonly #client: DynamoDBStreamsClient;
  readonly #arn: string;
  readonly #checkpoints: CheckpointStore;
  readonly #positions = new Map<string, Position>();
  #shards: string[] = [];
  #shardsAt = Number.NEGATIVE_INFINITY;

  constructor(client: DynamoDBStreamsClient, arn: string, checkpoints: CheckpointStore) {
    this.#client = client;
    this.#arn = arn;
    this.#checkpoints = checkpoints;
  }

  /** Reads once from every shard, parents before children. */
  async *read(): AsyncGenerator<ReadRecords> {
    if (performance.now() - this.#shardsAt > SHARDS_MILLIS) await this.#refreshShards();
    for (const shard of this.#shards) {
      const read = await this.#readShard(shard);
      if (read) yield read;
    }
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

  async #readShard(shard: string): Promise<ReadRecords | undefined> {
    const position = this.#positions.get(shard) ?? { last: this.#checkpoints.get(shard), isFinished: false };
    this.#positions.set(shard, position);
    if (position.isFinished) return undefined;
    position.iterator ??= await this.#openIterator(shard, position.last);
    const answer = await this.#client
      .send(new GetRecordsCommand({ ShardIterator: position.iterator, Limit: READ_LIMIT }))
      .catch((error: unknown) => {
        position.iterator = undefined;
        if (error instanceof ExpiredIteratorException) return undefined;
        throw error;
      });
    if (!answer) return undefined;
    const records = (answer.Records ?? []).map((record) => toFunctionRecord(record, this.#arn));
    position.iterator = answer.NextShardIterator;
    position.last = records.at(-1)?.dynamodb?.SequenceNumber ?? position.last;
    position.isFinished = answer.NextShardIterator === undefined;
    if (position.isFinished) this.#shardsAt = Number.NEGATIVE_INFINITY;
    return { shard, records, isFull: records.length === READ_LIMIT || position.isFinished };
  }

  async #openIterator(shard: string, last: string | undefined): Promise<string | undefined> {
    const place = { StreamArn: this.#arn, ShardId: shard };
    const oldest = new GetShardIteratorCommand({ ...place, ShardIteratorType: 'TRIM_HORIZON' });
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
}
