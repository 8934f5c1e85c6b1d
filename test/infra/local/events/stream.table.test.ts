import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { OnRecords } from '#infra/local/events/event-source.ts';
import type { GivenUp } from '#infra/local/events/failure-message.ts';
import { type StreamOptions, startStream } from '#infra/local/events/stream.ts';
import { storedKey } from '#shared/table/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { databaseAddress, streamedTable } from '#test/support/table.ts';

const done: DynamoDBBatchResponse = { batchItemFailures: [] };
const numberOf = (record: DynamoDBRecord) => Number(record.dynamodb?.NewImage?.['n']?.N);

function checkpoints(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stream-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'stream.json');
}

type ReadOptions = Pick<StreamOptions, 'settings' | 'shards' | 'onGivenUp' | 'lastWrite'> & {
  file?: string;
  act?: (n: number) => 'fail' | 'throw' | undefined;
};

/** Starts a reader of the table's stream, by default with one call at a time. `seen` has the numbers delivered so far. */
async function read(table: Table, { file, act, ...options }: ReadOptions = {}) {
  const seen: number[] = [];
  const onRecords: OnRecords = async ({ Records }) => {
    for (const record of Records) {
      const outcome = act?.(numberOf(record));
      if (outcome === 'throw') throw new Error('thrown by the function');
      if (outcome === 'fail') {
        return { batchItemFailures: [{ itemIdentifier: record.dynamodb?.SequenceNumber ?? '' }] };
      }
      seen.push(numberOf(record));
    }
    return done;
  };
  const reader = await startStream({
    endpoint: databaseAddress(),
    tableName: table.name,
    onRecords,
    pollMillis: 20,
    settings: { parallel: 1 },
    ...options,
    ...(file !== undefined && { checkpointFile: file }),
  });
  return { seen, reader };
}

/** Stores an item that the filter lets through (rules/storage.md#filter). */
const put = (table: Table, n: number) => table.put({ ...storedKey('series', `${n}`), kind: 'test', n });
const counting = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('the stream of the local database', () => {
  it('delivers every write in order, from before and after the start of the reader', async () => {
    const table = await streamedTable();
    for (const n of counting(1, 5)) await put(table, n);
    const { seen, reader } = await read(table);
    for (const n of counting(6, 130)) await put(table, n);
    await vi.waitFor(() => expect(seen).toEqual(counting(1, 130)), { timeout: 20_000, interval: 50 });
    await reader.stop();
  });

  it('delivers an item with an empty map, as a region does', async () => {
    const table = await streamedTable();
    const images: unknown[] = [];
    const reader = await startStream({
      endpoint: databaseAddress(),
      tableName: table.name,
      pollMillis: 20,
      settings: { parallel: 1 },
      onRecords: async ({ Records }) => {
        images.push(...Records.map(({ dynamodb }) => dynamodb?.NewImage));
        return done;
      },
    });
    await table.put({ ...storedKey('series', '1'), kind: 'test', empty: {}, inner: { empty: {}, list: [] }, list: [] });
    await vi.waitFor(() => expect(images).toHaveLength(1), { timeout: 20_000, interval: 50 });
    const [empty, list] = [{ M: {} }, { L: [] }];
    const inner = { M: { empty, list } };
    expect(images).toEqual([{ pk: { S: 'series' }, sk: { S: '1' }, kind: { S: 'test' }, empty, inner, list }]);
    await reader.stop();
  });

  it('delivers writes of other programs although the stack itself writes nothing', async () => {
    const table = await streamedTable();
    const { seen, reader } = await read(table, { lastWrite: () => Number.NEGATIVE_INFINITY });
    for (const n of [1, 2]) {
      await put(table, n);
      await vi.waitFor(() => expect(seen).toEqual(counting(1, n)), { timeout: 20_000, interval: 50 });
    }
    await reader.stop();
  });

  it('delivers the writes of a transaction that pass the filter in the form of Lambda, and is done with the others', async () => {
    const table = await streamedTable();
    await table.transact([
      { put: { ...storedKey('a', '1'), kind: 'test', n: 1, bytes: new Uint8Array([1, 2]), list: [{ x: true }] } },
      { put: { ...storedKey('a', '2'), n: 2 } },
    ]);
    await table.transact([{ remove: storedKey('a', '1') }]);
    await table.put({ ...storedKey('a', '3'), kind: 'test', n: 3 });
    const file = checkpoints();
    const records: DynamoDBRecord[] = [];
    const reader = await startStream({
      endpoint: databaseAddress(),
      tableName: table.name,
      checkpointFile: file,
      onRecords: async (event) => {
        records.push(...event.Records);
        return done;
      },
    });
    await vi.waitFor(() => expect(records.map(numberOf)).toContain(3), { timeout: 10_000 });
    const [last] = records.filter((record) => numberOf(record) === 3);
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain(String(last?.dynamodb?.SequenceNumber)), {
      timeout: 10_000,
    });
    await reader.stop();
    expect(records.map(numberOf).toSorted()).toEqual([1, 3]);
    const first = records.find((record) => numberOf(record) === 1);
    expect(first).toMatchObject({ eventName: 'INSERT', eventSource: 'aws:dynamodb' });
    expect(first?.dynamodb?.NewImage).toMatchObject({
      bytes: { B: 'AQI=' },
      list: { L: [{ M: { x: { BOOL: true } } }] },
    });
    expect(typeof first?.dynamodb?.ApproximateCreationDateTime).toBe('number');
  });

  it('resumes at its checkpoint after a restart', async () => {
    const table = await streamedTable();
    const file = checkpoints();
    await put(table, 1);
    const before = await read(table, { file });
    await vi.waitFor(() => expect(before.seen).toEqual([1]), { timeout: 10_000 });
    await before.reader.stop();
    await put(table, 2);
    const after = await read(table, { file });
    await vi.waitFor(() => expect(after.seen).toEqual([2]), { timeout: 10_000 });
    await after.reader.stop();
  });

  it('delivers again from the first failed record on, in order', async () => {
    const table = await streamedTable();
    for (const n of counting(1, 10)) await put(table, n);
    let failures = 3;
    const { seen, reader } = await read(table, {
      act: (n) => {
        if (n !== 4 || failures === 0) return undefined;
        failures -= 1;
        return 'fail';
      },
    });
    await vi.waitFor(() => expect(seen).toEqual(counting(1, 10)), { timeout: 10_000 });
    await reader.stop();
  });

  it('gives up a record that always fails, says where it is, and delivers all others', async () => {
    const table = await streamedTable();
    for (const n of counting(1, 6)) await put(table, n);
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const givenUp: GivenUp[] = [];
    const file = checkpoints();
    const { seen, reader } = await read(table, {
      file,
      act: (n) => (n === 3 ? 'throw' : undefined),
      onGivenUp: async (records) => {
        givenUp.push(records);
      },
    });
    await vi.waitFor(() => expect([...new Set(seen)].sort()).toEqual([1, 2, 4, 5, 6]), { timeout: 20_000 });
    await reader.stop();
    error.mockRestore();
    expect(givenUp.map(({ records }) => records.map(numberOf))).toEqual([[3]]);
    // The message names the shard as the database knows it.
    const { shards } = JSON.parse(readFileSync(file, 'utf8')) as { shards: Record<string, string> };
    expect(Object.keys(shards)).toContain(givenUp[0]?.shard);
  });

  it('divides the stream into shards that split while it is read, and resumes at the first record that is not done', async () => {
    const table = await streamedTable();
    const file = checkpoints();
    const all = counting(1, 120);
    await Promise.all(all.map((n) => table.put({ ...storedKey(`series-${n % 12}`, `${n % 2}`), kind: 'test', n })));
    const options = { file, shards: { records: 10, most: 3 }, settings: { parallel: 2, batch: 7, retries: Infinity } };
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    // One record fails for ever; its shard stands still, the others go on.
    const before = await read(table, { ...options, act: (n) => (n === 60 ? 'fail' : undefined) });
    await vi.waitFor(() => expect(before.seen.length).toBeGreaterThan(0), { timeout: 10_000 });
    await before.reader.stop();
    error.mockRestore();
    expect(before.seen).not.toContain(60);
    const after = await read(table, options);
    const sorted = () => [...new Set([...before.seen, ...after.seen])].sort((a, b) => a - b);
    await vi.waitFor(() => expect(sorted()).toEqual(all), { timeout: 10_000 });
    await after.reader.stop();
  });
});
