import { beforeAll, describe, expect, test } from 'vitest';
import { keyIn } from '#shared/table/keys.ts';
import { counted, newCount } from '#shared/table/meter.ts';
import { type Condition, keyText, putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { testPartition } from '#test/support/ids.ts';
import { type Fault, faultyTable } from '#test/support/table/faults.ts';
import { testTable } from '#test/support/table.ts';

let table: Table;
beforeAll(async () => {
  table = await testTable();
});

let partitions = 0;
const aPartition = () => {
  partitions += 1;
  return testPartition(`partition-${partitions}`);
};

/** The same table through a client that fails as the list says, transaction by transaction. */
const failing = (faults: readonly (Fault | undefined)[]): Table =>
  faultyTable(table, ({ command, before }) => (command === 'TransactWrite' ? faults[before] : undefined));

const versionIs = (version: number): Condition => ({
  ConditionExpression: 'version = :version',
  ExpressionAttributeValues: { ':version': version },
});

describe('a write outside a transaction', () => {
  test.each(['Put', 'Update'])('is repeated if a transaction changes its item at that moment: %s', async (kind) => {
    const key = keyIn(aPartition(), 'a');
    const met = faultyTable(table, ({ command, before }) => (command === kind && before < 2 ? 'conflict' : undefined));
    if (kind === 'Put') await met.put({ ...key, n: 1 });
    else
      expect(await met.update(key, { UpdateExpression: 'SET n = :n', ExpressionAttributeValues: { ':n': 1 } })).toBe(
        true,
      );
    expect(await table.get(key)).toEqual({ ...key, n: 1 });
  });
});

describe('a transaction', () => {
  test('writes everything or nothing', async () => {
    const pk = aPartition();
    await table.put({ ...keyIn(pk, 'taken'), version: 1 });
    const writes = (sk: string): Write<'refused'>[] => [
      { put: { ...keyIn(pk, 'other'), n: 1 } },
      putIfAbsent(keyIn(pk, sk), () => 'refused'),
    ];
    expect(await table.transact(writes('taken'))).toBe('refused');
    expect(await table.get(keyIn(pk, 'other'))).toBeUndefined();
    expect(await table.transact(writes('free'))).toBe('done');
    expect(await table.get(keyIn(pk, 'other'))).toEqual({ pk, sk: 'other', n: 1 });
  });

  test('returns the item that caused a refusal', async () => {
    const pk = aPartition();
    const old = { ...keyIn(pk, 'a'), version: 2, bytes: Buffer.from('x'), list: [1, null, { deep: true }] };
    await table.put(old);
    const outcome = await table.transact([
      { update: keyIn(pk, 'a'), UpdateExpression: 'SET x = version', ...versionIs(1), refused: (item) => item },
    ]);
    expect(outcome).toEqual({ ...old, bytes: new Uint8Array(Buffer.from('x')) });
  });

  test('says by position which condition refused it: the first that says what its refusal means', async () => {
    const pk = aPartition();
    await table.put(keyIn(pk, 'taken'));
    const outcome = await table.transact([
      { put: keyIn(pk, 'fine') },
      { check: keyIn(pk, 'missing'), ConditionExpression: 'attribute_exists(pk)', refused: (old) => ['check', old] },
      putIfAbsent(keyIn(pk, 'taken'), (old) => ['taken', old]),
    ]);
    expect(outcome).toEqual(['check', undefined]);
  });

  test('removes, checks and updates under conditions', async () => {
    const pk = aPartition();
    await table.put({ ...keyIn(pk, 'gone'), version: 1 });
    await table.put({ ...keyIn(pk, 'there'), version: 1 });
    const outcome = await table.transact([
      { remove: keyIn(pk, 'gone'), ...versionIs(1) },
      { check: keyIn(pk, 'there'), ...versionIs(1) },
      { update: keyIn(pk, 'new'), UpdateExpression: 'SET n = :n', ExpressionAttributeValues: { ':n': 7 } },
    ]);
    expect(outcome).toBe('done');
    expect(await table.query({ pk })).toEqual([
      { pk, sk: 'new', n: 7 },
      { pk, sk: 'there', version: 1 },
    ]);
  });

  test('throws if a refused condition has no meaning', async () => {
    const pk = aPartition();
    await table.put(keyIn(pk, 'taken'));
    await expect(table.transact([putIfAbsent(keyIn(pk, 'taken'))])).rejects.toThrow('ConditionalCheckFailed');
  });

  test('is retried after conflicts and while the table is busy', async () => {
    const pk = aPartition();
    const count = newCount();
    const outcome = await counted(
      () => failing(['conflict', 'busy', 'throttle', 'conflict']).transact([putIfAbsent(keyIn(pk, 'a'), () => 'no')]),
      count,
    );
    expect(outcome).toBe('done');
    expect(await table.get(keyIn(pk, 'a'))).toEqual({ pk, sk: 'a' });
  });

  test('throws if its answer was lost, and the next read finds it done', async () => {
    const pk = aPartition();
    const writes = [putIfAbsent({ ...keyIn(pk, 'a'), by: 'me' }, (old) => old?.['by'])];
    const lossy = failing(['timeout-before', 'timeout-after']);
    await expect(lossy.transact(writes)).rejects.toThrow('timeout-before');
    expect(await table.get(keyIn(pk, 'a'))).toBeUndefined();
    await expect(lossy.transact(writes)).rejects.toThrow('timeout-after');
    expect(await lossy.transact(writes)).toBe('me');
  });

  test('a transaction with more writes than the database accepts is refused before it is sent', async () => {
    const pk = aPartition();
    const writes = Array.from({ length: 101 }, (_, i) => ({ put: keyIn(pk, `${i}`) }));
    await expect(table.transact(writes)).rejects.toThrow('101 writes');
  });
});

describe('reading', () => {
  test('many keys returns each existing item once', async () => {
    const pk = aPartition();
    const items = Array.from({ length: 230 }, (_, i) => ({ ...keyIn(pk, `item-${i}`), i }));
    await table.putMany(items);
    const keys = [...items, ...items.slice(0, 5), keyIn(pk, 'missing')];
    const found = await table.getMany(keys);
    expect(found.size).toBe(230);
    expect(found.get(keyText(keyIn(pk, 'item-229')))).toEqual(items[229]);
    expect((await table.getMany([])).size).toBe(0);
  });

  test('a range of several database pages returns all items, or the requested number', async () => {
    const pk = aPartition();
    const text = 'x'.repeat(100_000);
    await table.putMany(Array.from({ length: 25 }, (_, i) => ({ ...keyIn(pk, `${i}`.padStart(2, '0')), text })));
    expect(await table.query({ pk })).toHaveLength(25);
    expect((await table.query({ pk, limit: 20, newestFirst: true })).at(-1)?.sk).toBe('05');
    expect((await table.query({ pk, from: '03', to: '05' })).map(({ sk }) => sk)).toEqual(['03', '04', '05']);
    expect((await table.query({ pk, from: '23' })).map(({ sk }) => sk)).toEqual(['23', '24']);
    expect((await table.query({ pk, to: '01' })).map(({ sk }) => sk)).toEqual(['00', '01']);
    expect((await table.query({ pk, prefix: '1' })).map(({ sk }) => sk)).toHaveLength(10);
  });

  test('many ranges returns the items of each, 50 partitions per call, as Queries do', async () => {
    const pks = Array.from({ length: 60 }, aPartition);
    const items = pks.flatMap((pk, i) =>
      i % 3 === 0 ? [] : ['a1', 'a2', 'b1', 'b2'].map((sk) => ({ ...keyIn(pk, sk), i })),
    );
    await table.putMany(items);
    const kinds = [{}, { from: 'a2', to: 'b1' }, { from: 'b1' }, { to: 'a2' }, { prefix: 'b' }];
    const options = [{ limit: 3 }, { newestFirst: true, limit: 1 }];
    const ranges = kinds.flatMap((kind) => pks.map((pk, i) => ({ pk, ...kind, ...options[i % 2] })));
    const count = newCount();
    const found = await counted(() => table.queryEach(ranges), count);
    expect(found).toEqual(await Promise.all(ranges.map((range) => table.query(range))));
    expect([count.calls, count.sequential]).toEqual([2 * kinds.length, 1]);
  });

  test('one range, and few ranges with a limit, makes a Query of each', async () => {
    const pk = aPartition();
    await table.putMany([keyIn(pk, 'a')]);
    const count = newCount();
    const limited = [pk, aPartition()].map((one) => ({ pk: one, limit: 5 }));
    expect(await counted(() => table.queryEach([{ pk }]), count)).toEqual([[{ pk, sk: 'a' }]]);
    expect(await counted(() => table.queryEach(limited), count)).toEqual([[{ pk, sk: 'a' }], []]);
    expect(new Set(count.log.map(({ name }) => name))).toEqual(new Set(['DynamoDB.Query']));
  });

  test('many ranges joins the pages that the database returns', async () => {
    const pks = Array.from({ length: 40 }, aPartition);
    const text = 'x'.repeat(100_000);
    await table.putMany(pks.flatMap((pk) => ['1', '2'].map((sk) => ({ ...keyIn(pk, sk), text }))));
    const count = newCount();
    const found = await counted(() => table.queryEach(pks.map((pk) => ({ pk }))), count);
    expect(found.map((items) => items.map(({ pk, sk }) => `${pk} ${sk}`))).toEqual(
      pks.map((pk) => [`${pk} 1`, `${pk} 2`]),
    );
    expect(count.calls).toBeGreaterThan(1);
  });
});

describe('an update alone', () => {
  test('returns whether its condition held', async () => {
    const key = keyIn(aPartition(), 'a');
    const update = { UpdateExpression: 'SET version = :next', ConditionExpression: 'version = :version' };
    await table.put({ ...key, version: 1 });
    const step = (version: number) =>
      table.update(key, { ...update, ExpressionAttributeValues: { ':version': version, ':next': version + 1 } });
    expect(await step(1)).toBe(true);
    expect(await step(1)).toBe(false);
    expect(await table.get(key)).toMatchObject({ version: 2 });
  });
});
