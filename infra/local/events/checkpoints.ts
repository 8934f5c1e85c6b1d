import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

/** The sequence number of the last delivered record of each shard. */
const Checkpoints = z.object({ stream: z.string(), shards: z.record(z.string(), z.string()) });

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

  /** Stores a sequence number. The file is replaced in one step, so that a killed process leaves a complete file. */
  set(shard: string, sequence: string): void {
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
