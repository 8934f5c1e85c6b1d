import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import { messageOf } from '#shared/base/error-facts.ts';
import { TABLE } from '#shared/table/table-definition.ts';
import { scanPages, type WireItem } from './raw-calls.ts';

/** The first line of a journal. */
const Begun = z.object({ begun: z.number() });
const Image = z.record(z.string(), z.unknown());
/** One write of an item. The items that the table had when its journal began come from no shard. */
const Line = z.object({
  at: z.number(),
  shard: z.string().optional(),
  n: z.string().optional(),
  key: z.tuple([z.string(), z.string()]),
  image: Image.nullable(),
});
type Line = z.infer<typeof Line>;

/** The stream gives the time of a record in whole minutes, rounded down (local-stack.md#the-databases-stream). */
const STREAM_MILLIS = 60_000;
/** The name is that of a file and of a table. */
const fileOf = (folder: string, table: string): string => join(folder, `${table}.jsonl`);

/**
 * The journal of a table: a file with every write that the stream of the table had, one per line. It stands for the continuous
 * backups of a region. The time of a line is that at which the stream was read: a second late at most while the stack runs.
 */
export class History {
  readonly #file: string;
  /** Sequence number of the last record of each shard. A restart reads records again. */
  readonly #last: Map<string, bigint>;
  /** From when on the table can be restored, in milliseconds since the epoch. */
  readonly begun: number;
  /** Everything that was written before this time is in the journal, in milliseconds since the epoch. */
  readUntil: number;
  /** Lines that could not be written to the disk yet. */
  #waiting: string[] = [];

  private constructor(file: string, begun: number, last: Map<string, bigint>) {
    this.#file = file;
    this.begun = begun;
    this.readUntil = begun;
    this.#last = last;
  }

  static exists(folder: string, table: string): boolean {
    return existsSync(fileOf(folder, table));
  }

  /** Opens the journal of a table. Without a journal, one begins with the items that the table has now. */
  static async open(endpoint: string, folder: string, table: string): Promise<History> {
    const file = fileOf(folder, table);
    if (!existsSync(file)) await begin(endpoint, table, file);
    let begun = 0;
    let size = 0;
    const last = new Map<string, bigint>();
    for await (const { text, end } of completeLines(file)) {
      size = end;
      if (begun === 0) begun = Begun.parse(JSON.parse(text)).begun;
      else remember(last, Line.parse(JSON.parse(text)));
    }
    // A killed process can leave a part of a line.
    truncateSync(file, size);
    return new History(file, begun, last);
  }

  /** Appends records of the stream. The relay gets them afterwards, so that the journal has all that took effect. */
  add(shard: string, records: readonly DynamoDBRecord[]): void {
    const now = Date.now();
    for (const { dynamodb: { ApproximateCreationDateTime, Keys, NewImage, SequenceNumber = '0' } = {} } of records) {
      if (BigInt(SequenceNumber) <= (this.#last.get(shard) ?? -1n)) continue;
      const at = Math.min(now, (ApproximateCreationDateTime ?? Number.POSITIVE_INFINITY) * 1_000 + STREAM_MILLIS - 1);
      const key: Line['key'] = [Keys?.[TABLE.partitionKey]?.S ?? '', Keys?.[TABLE.sortKey]?.S ?? ''];
      const line: Line = { at, shard, n: SequenceNumber, key, image: NewImage ?? null };
      remember(this.#last, line);
      this.#waiting.push(`${JSON.stringify(line)}\n`);
    }
    this.#flush();
  }

  /** Notes that the stream was read to its end. @param since when this reading began, in milliseconds since the epoch */
  caughtUp(since: number): void {
    if (this.#waiting.length === 0) this.readUntil = Math.max(this.readUntil, since);
  }

  /** Returns the items that the table had at an instant. @param at in milliseconds since the epoch */
  async itemsAt(at: number): Promise<WireItem[]> {
    const items = new Map<string, WireItem>();
    let isFirst = true;
    for await (const { text } of completeLines(this.#file)) {
      const line = isFirst ? undefined : Line.parse(JSON.parse(text));
      isFirst = false;
      // The items with which the journal began were there from its begin on.
      if (!line || (line.shard !== undefined && line.at >= at)) continue;
      const key = line.key.join('\n');
      if (line.image) items.set(key, line.image);
      else items.delete(key);
    }
    return [...items.values()];
  }

  /** A full disk must not keep records from the relay: the lines wait, and the table cannot be restored to later instants. */
  #flush(): void {
    if (this.#waiting.length === 0) return;
    try {
      appendFileSync(this.#file, this.#waiting.join(''));
      this.#waiting = [];
    } catch (error) {
      console.error(`The history of the table cannot be written: ${messageOf(error)}`);
    }
  }
}

function remember(last: Map<string, bigint>, { shard, n }: Line): void {
  if (shard !== undefined && n !== undefined) last.set(shard, BigInt(n));
}

/** Writes a journal with the items that a table has now. The file appears in one step. */
async function begin(endpoint: string, table: string, file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  const next = `${file}.next`;
  const writing = openSync(next, 'w');
  try {
    // The items are read after this line is written, so the time in it comes from their end.
    const lines: string[] = [];
    for await (const items of scanPages(endpoint, table)) {
      for (const image of items) lines.push(`${JSON.stringify({ at: 0, key: keyOf(image), image } satisfies Line)}\n`);
    }
    writeSync(writing, `${JSON.stringify({ begun: Date.now() })}\n`);
    for (const line of lines) writeSync(writing, line);
  } finally {
    closeSync(writing);
  }
  renameSync(next, file);
}

const Keyed = z.object({
  [TABLE.partitionKey]: z.object({ S: z.string() }),
  [TABLE.sortKey]: z.object({ S: z.string() }),
});

function keyOf(image: WireItem): Line['key'] {
  const { pk, sk } = Keyed.parse(image);
  return [pk.S, sk.S];
}

/** Yields the lines of a file that end with a line feed, with the position behind each. */
async function* completeLines(file: string): AsyncGenerator<{ text: string; end: number }> {
  const handle = await open(file);
  try {
    let rest = Buffer.alloc(0);
    let end = 0;
    // A stream without an encoding yields buffers.
    for await (const chunk of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      rest = Buffer.concat([rest, chunk]);
      let from = 0;
      for (let feed = rest.indexOf(10); feed >= 0; feed = rest.indexOf(10, from)) {
        end += feed + 1 - from;
        yield { text: rest.toString('utf8', from, feed), end };
        from = feed + 1;
      }
      rest = rest.subarray(from);
    }
  } finally {
    await handle.close();
  }
}
