import { createHash } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';

/** Gets the shards as they open and close. A parent closes before its children open. */
export interface ShardSink {
  open(shard: string, parent: string | undefined): void;
  close(shard: string): void;
}

export interface ShardSettings {
  /** A shard that has had this many records ends. */
  records: number;
  /** Most open shards. While there are fewer, a shard that ends has two children, afterwards one. */
  most: number;
}

interface OpenShard {
  id: string;
  /** Range of hashes that the shard takes; `to` is excluded. */
  from: number;
  to: number;
  records: number;
}

const HASHES = 2 ** 32;

/** Returns a hash from 0 to 2³² - 1 that spreads texts evenly. */
export const hashOf = (text: string): number => createHash('md5').update(text).digest().readUInt32BE();

/**
 * Divides the one shard that the local database has at a time into several, by partition key, as a table in a region has
 * them. Shards end while the stream is read: a shard splits, or is followed by one child.
 */
export class Shards {
  readonly #sink: ShardSink;
  readonly #settings: ShardSettings;
  #open: OpenShard[] = [];
  #made = 0;

  constructor(sink: ShardSink, settings: ShardSettings) {
    this.#sink = sink;
    this.#settings = settings;
    this.#open = [this.#make(0, HASHES)];
  }

  /** Returns the open shard that a record belongs to, and ends shards that are full. */
  shardOf(record: DynamoDBRecord): string {
    const hash = hashOf(JSON.stringify(record.dynamodb?.Keys?.['pk'] ?? null));
    const shard = this.#find(hash);
    if (shard.records < this.#settings.records) {
      shard.records += 1;
      return shard.id;
    }
    this.#end(shard);
    return this.shardOf(record);
  }

  #find(hash: number): OpenShard {
    const found = this.#open.find(({ from, to }) => from <= hash && hash < to);
    if (!found) throw new Error(`No open shard takes the hash ${hash}`);
    return found;
  }

  #end(shard: OpenShard): void {
    this.#sink.close(shard.id);
    const middle = Math.floor((shard.from + shard.to) / 2);
    const ranges: [number, number][] =
      this.#open.length < this.#settings.most
        ? [
            [shard.from, middle],
            [middle, shard.to],
          ]
        : [[shard.from, shard.to]];
    const children = ranges.map(([from, to]) => this.#make(from, to, shard.id));
    this.#open = [...this.#open.filter((one) => one !== shard), ...children];
  }

  #make(from: number, to: number, parent?: string): OpenShard {
    this.#made += 1;
    const id = `shardId-${String(this.#made).padStart(20, '0')}-local`;
    this.#sink.open(id, parent);
    return { id, from, to, records: 0 };
  }
}
