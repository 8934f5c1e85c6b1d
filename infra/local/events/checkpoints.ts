import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

/** The sequence number of the last delivered record of each shard. */
const Checkpoints = z.object({ stream: z.string(), shards: z.record(z.string(), z.string()) });

/** Reads the sequence number of the last delivered record of each shard; none if there is no file. */
export function readCheckpoints(file: string): Map<string, bigint> {
  if (!existsSync(file)) return new Map();
  const { shards } = Checkpoints.parse(JSON.parse(readFileSync(file, 'utf8')));
  return new Map(Object.entries(shards).map(([shard, sequence]) => [shard, BigInt(sequence)]));
}

/** Stores how far a stream was delivered, so that a restarted reader resumes there. Without a file it is kept in memory. */
export class CheckpointStore {
  readonly #file: string | undefined;
  readonly #stream: string;
  #shards: Map<string, string>;

  /** @param stream ARN of the stream; the checkpoints of another stream in the file are ignored */
  constructor(file: string | undefined, stream: string) {
    this.#file = file;
    this.#stream = stream;
    this.#shards = new Map(file !== undefined && existsSync(file) ? this.#load(file) : []);
  }

  #load(file: string): [string, string][] {
    const saved = Checkpoints.parse(JSON.parse(readFileSync(file, 'utf8')));
    return saved.stream === this.#stream ? Object.entries(saved.shards) : [];
  }

  get(shard: string): string | undefined {
    return this.#shards.get(shard);
  }

  /** Stores a sequence number, unless it is stored. The file is replaced in one step, so that a killed process leaves a complete file. */
  set(shard: string, sequence: string): void {
    if (this.#shards.get(shard) === sequence) return;
    this.#shards.set(shard, sequence);
    if (this.#file === undefined) return;
    const next = `${this.#file}.next`;
    writeFileSync(next, JSON.stringify({ stream: this.#stream, shards: Object.fromEntries(this.#shards) }));
    renameSync(next, this.#file);
  }

  /** Removes all shards except the given ones. */
  keepOnly(shards: ReadonlySet<string>): void {
    this.#shards = new Map([...this.#shards].filter(([shard]) => shards.has(shard)));
  }
}

/** The records of one shard that are not done yet, in the order of the stream. */
export class PendingRecords {
  /** Sequence number of a record, with the one before it. */
  readonly #pending = new Map<string, string | undefined>();
  #last: string | undefined;

  get size(): number {
    return this.#pending.size;
  }

  add(sequence: string): void {
    this.#pending.set(sequence, this.#last);
    this.#last = sequence;
  }

  done(sequence: string): void {
    this.#pending.delete(sequence);
  }

  /** Returns the sequence number up to which all records are done, or undefined if not even the first one is. */
  checkpoint(): string | undefined {
    const first = this.#pending.values().next();
    return first.done ? this.#last : first.value;
  }
}
