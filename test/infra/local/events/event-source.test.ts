import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PendingRecords } from '#infra/local/events/checkpoints.ts';
import { EventSource, type EventSourceOptions } from '#infra/local/events/event-source.ts';
import { failureMessage, type GivenUp } from '#infra/local/events/failure-message.ts';
import { succeededMessages } from '#infra/local/events/queues.ts';
import { afterCall, dueRecords } from '#infra/local/events/retries.ts';
import { Shards } from '#infra/local/events/shards.ts';

/** A record of the item `pk`; its sequence number is `n`. */
const record = (n: number, pk = 'item', seconds = 1_700_000_000): DynamoDBRecord => ({
  eventID: `event-${n}`,
  dynamodb: { Keys: { pk: { S: pk }, sk: { S: 'x' } }, SequenceNumber: `${n}`, ApproximateCreationDateTime: seconds },
});
const numberOf = ({ dynamodb }: DynamoDBRecord) => Number(dynamodb?.SequenceNumber);
const numbersOf = (records: readonly DynamoDBRecord[]) => records.map(numberOf);
const counting = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const batchOf = (numbers: readonly number[], retries = 0) => ({ records: numbers.map((n) => record(n)), retries });
const failed = (...numbers: (number | string)[]) => ({
  batchItemFailures: numbers.map((n) => ({ itemIdentifier: `${n}` })),
});
const again = (call: ReturnType<typeof afterCall>) =>
  call.again.map(({ records, retries }) => [numbersOf(records), retries]);

describe('the event source after a call', () => {
  it.each([
    ['no answer', undefined],
    ['null', null],
    ['no failures', failed()],
  ])('takes %s as success', (_, answer) => {
    expect(afterCall(batchOf([1, 2]), answer)).toEqual({ done: 2, again: [] });
  });

  it('retries everything from the lowest failed record on, together', () => {
    const call = afterCall(batchOf([1, 2, 3, 4, 5], 2), failed(5, 3));
    expect([call.done, again(call)]).toEqual([2, [[[3, 4, 5], 3]]]);
  });

  it('retries the same records if the first one failed', () => {
    const call = afterCall(batchOf([1, 2, 3]), failed(1));
    expect([call.done, again(call)]).toEqual([0, [[[1, 2, 3], 1]]]);
  });

  it.each([
    ['an error', 'threw' as const],
    ['an empty identifier', failed('')],
    ['an unknown identifier', failed(9)],
  ])('halves the batch after %s, and the halving costs no retry', (_, answer) => {
    const call = afterCall(batchOf([1, 2, 3], 4), answer);
    expect([call.done, again(call)]).toEqual([
      0,
      [
        [[1, 2], 4],
        [[3], 4],
      ],
    ]);
  });

  it('counts the retries of a single record', () => {
    expect(again(afterCall(batchOf([1], 4), 'threw'))).toEqual([[[1], 5]]);
  });

  it('gives up a batch that used up its retries, and records above the age limit', () => {
    const now = 1_700_000_100_000;
    expect(dueRecords(batchOf([1, 2], 10), { retries: 10 }, now).givenUp).toBeUndefined();
    expect(dueRecords(batchOf([1, 2], 11), { retries: 10 }, now)).toMatchObject({
      next: { records: [] },
      givenUp: { reason: 'RetryAttemptsExhausted', records: [{ eventID: 'event-1' }, { eventID: 'event-2' }] },
    });
    const mixed = { records: [record(1), record(2, 'item', 1_700_000_090)], retries: 0 };
    const due = dueRecords(mixed, { retries: 10, recordAgeMillis: 60_000 }, now);
    expect(numbersOf(due.next.records)).toEqual([2]);
    expect(due.givenUp).toMatchObject({ reason: 'RecordAgeExceeded', records: [{ eventID: 'event-1' }] });
  });

  it('names the place of records that it gave up, and not the records', () => {
    const message = failureMessage({
      shard: 'shardId-1',
      streamArn: 'arn:stream',
      records: [record(7, 'secret'), record(9, 'secret', 1_700_000_060)],
      reason: 'RetryAttemptsExhausted',
      calls: 11,
    });
    expect(message).toMatchObject({
      requestContext: { condition: 'RetryAttemptsExhausted', approximateInvokeCount: 11 },
      DDBStreamBatchInfo: {
        shardId: 'shardId-1',
        startSequenceNumber: '7',
        endSequenceNumber: '9',
        approximateArrivalOfFirstRecord: '2023-11-14T22:13:20Z',
        approximateArrivalOfLastRecord: '2023-11-14T22:14:20Z',
        batchSize: 2,
        streamArn: 'arn:stream',
      },
    });
    expect(JSON.stringify(message)).not.toContain('secret');
  });
});

describe('the event source of a queue', () => {
  const messages = ['a', 'b'].map((MessageId) => ({ MessageId }));

  it('deletes the messages that an answer does not name as failed', () => {
    expect(succeededMessages(messages, undefined)).toEqual(messages);
    expect(succeededMessages(messages, failed())).toEqual(messages);
    expect(succeededMessages(messages, failed('a'))).toEqual([{ MessageId: 'b' }]);
  });

  it('deletes none if an answer names a message that is not in the batch', () => {
    expect(succeededMessages(messages, failed('c'))).toEqual([]);
    expect(succeededMessages(messages, failed(''))).toEqual([]);
  });
});

describe('the checkpoint of a shard', () => {
  it('stops before the first record that is not done', () => {
    const pending = new PendingRecords();
    for (const n of counting(1, 4)) pending.add(`${n}`);
    pending.done('2');
    expect(pending.checkpoint()).toBeUndefined();
    pending.done('1');
    expect(pending.checkpoint()).toBe('2');
    pending.done('3');
    pending.done('4');
    expect([pending.checkpoint(), pending.size]).toEqual(['4', 0]);
  });
});

describe('the shards of a stream', () => {
  it('split until there are enough, then each is followed by one child; a key is always in one open shard', () => {
    const parents = new Map<string, string | undefined>();
    const open = new Set<string>();
    const shards = new Shards(
      {
        open: (id, parent) => {
          expect(parent === undefined || !open.has(parent)).toBe(true);
          parents.set(id, parent);
          open.add(id);
        },
        close: (id) => open.delete(id),
      },
      { records: 10, most: 3 },
    );
    const shardsOfKey = new Set<string>();
    for (const n of counting(1, 300)) {
      const shard = shards.shardOf(record(n, `key-${n % 30}`));
      expect(open.has(shard)).toBe(true);
      if (n % 30 === 7) shardsOfKey.add(shard);
    }
    expect(open.size).toBe(3);
    const children = Map.groupBy([...parents.keys()], (id) => parents.get(id));
    expect(Math.max(...[...children.values()].map(({ length }) => length))).toBe(2);
    // The shards of one key are a line of descent.
    const line = [...shardsOfKey];
    const ancestors = (id: string | undefined): string[] =>
      id === undefined ? [] : [id, ...ancestors(parents.get(id))];
    expect(ancestors(line.at(-1)).toReversed()).toEqual(expect.arrayContaining(line));
    expect(line.length).toBeGreaterThan(1);
  });
});

describe('the calls of the event source', () => {
  function source(options: Partial<EventSourceOptions> & Pick<EventSourceOptions, 'onRecords'>) {
    const done: number[] = [];
    const givenUp: GivenUp[] = [];
    const made = new EventSource({
      streamArn: 'arn:stream',
      batch: 100,
      parallel: 1,
      retries: 10,
      retryMillis: 0,
      onDone: (records) => done.push(...numbersOf(records)),
      onGivenUp: async (records) => {
        givenUp.push(records);
      },
      ...options,
    });
    onTestFinished(() => made.stop());
    const feed = (shard: string, numbers: readonly number[], pk?: (n: number) => string) => {
      for (const n of numbers) made.add(shard, record(n, pk?.(n)));
      made.start();
    };
    return { made, feed, done, givenUp };
  }
  const quiet = () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => error.mockRestore());
  };
  const succeeded = { batchItemFailures: [] };

  it('reads a parent to its end before its children, also a child that ended without a record', async () => {
    const first = Promise.withResolvers<void>();
    const calls: number[][] = [];
    const { made, feed, done } = source({
      onRecords: async ({ Records }) => {
        calls.push(numbersOf(Records));
        if (numberOf(Records[0] as DynamoDBRecord) === 1) await first.promise;
        return succeeded;
      },
    });
    made.open('parent', undefined);
    feed('parent', [1]);
    feed('parent', [2]);
    made.close('parent');
    made.open('left', 'parent');
    made.open('right', 'parent');
    feed('left', [3]);
    made.close('right');
    made.open('below right', 'right');
    feed('below right', [4]);
    await vi.waitFor(() => expect(calls).toEqual([[1]]));
    first.resolve();
    await vi.waitFor(() => expect(done.toSorted()).toEqual([1, 2, 3, 4]));
    expect(calls.slice(0, 2)).toEqual([[1], [2]]);
  });

  it('calls in parallel, and keeps the order of the records of one item', async () => {
    let most = 0;
    let running = 0;
    const order = new Map<string, number[]>();
    const { made, feed, done } = source({
      batch: 3,
      parallel: 4,
      onRecords: async ({ Records }) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        for (const one of Records) {
          const pk = one.dynamodb?.Keys?.['pk']?.S ?? '';
          order.set(pk, [...(order.get(pk) ?? []), numberOf(one)]);
        }
        running -= 1;
        return succeeded;
      },
    });
    made.open('shard', undefined);
    feed('shard', counting(1, 200), (n) => `item-${n % 20}`);
    await vi.waitFor(() => expect(done).toHaveLength(200));
    expect(most).toBe(4);
    for (const numbers of order.values()) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it('waits for further records within its window, up to the size of a batch', async () => {
    const calls: number[][] = [];
    const { made, feed, done } = source({
      batch: 4,
      windowMillis: 30,
      onRecords: async ({ Records }) => {
        calls.push(numbersOf(Records));
        return succeeded;
      },
    });
    made.open('shard', undefined);
    feed('shard', [1]);
    feed('shard', [2, 3, 4, 5]);
    await vi.waitFor(() => expect(done).toHaveLength(5));
    expect(calls).toEqual([[1, 2, 3, 4], [5]]);
  });

  it('gives up only the record on which the function throws', async () => {
    quiet();
    let calls = 0;
    const { made, feed, done, givenUp } = source({
      onRecords: async ({ Records }) => {
        calls += 1;
        if (numbersOf(Records).includes(5)) throw new Error('poison');
        return succeeded;
      },
    });
    made.open('shard', undefined);
    feed('shard', counting(1, 8));
    await vi.waitFor(() => expect(done).toHaveLength(8));
    expect(givenUp).toMatchObject([{ records: [{ eventID: 'event-5' }], reason: 'RetryAttemptsExhausted', calls: 11 }]);
    // 8, 4 (twice), 2 (twice), 1 (twice), and ten retries of the record.
    expect(calls).toBe(7 + 10);
  });

  it('gives up everything behind a record that the function always reports as failed', async () => {
    quiet();
    const { made, feed, done, givenUp } = source({
      onRecords: async ({ Records }) => (numbersOf(Records).includes(5) ? failed(5) : succeeded),
    });
    made.open('shard', undefined);
    feed('shard', counting(1, 8));
    await vi.waitFor(() => expect(done).toHaveLength(8));
    expect(givenUp.map(({ records }) => numbersOf(records))).toEqual([[5, 6, 7, 8]]);
  });
});
