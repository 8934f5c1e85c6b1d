import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

/** How far each shard of a stream was handed on: the sequence number of its last record. */
const Checkpoints = z.object({ stream: z.string(), shards: z.record(z.string(), z.string()) });

/** Remembers how far a stream was read, in a file where one is named, so that a restart goes on from there. */
export class CheckpointStore {
  readonly #file: string | undefined;
  readonly #stream: string;
  #shards: Map<string, string>;

  /** @param stream the stream's address: places in another stream mean nothing here */
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

  /** The file changes in one step, so that a kill in between leaves the former one. */
  set(shard: string, sequence: string): void {
    this.#shards.set(shard, sequence);
    if (this.#file === undefined) return;
    const next = `${this.#file}.next`;
    writeFileSync(next, JSON.stringify({ stream: this.#stream, shards: Object.fromEntries(this.#shards) }));
    renameSync(next, this.#file);
  }

  /** Forgets the shards that the stream no longer has. */
  keepOnly(shards: ReadonlySet<string>): void {
    this.#shards = new Map([...this.#shards].filter(([shard]) => shards.has(shard)));
  }
}
