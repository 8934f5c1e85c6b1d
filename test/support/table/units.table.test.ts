import { beforeAll, describe, expect, test } from 'vitest';
import { storedKey } from '#shared/table/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { testPartition } from '#test/support/ids.ts';
import { testTable } from '../table.ts';
import { countingTable, itemSize, readUnits, sizeOf, writeUnits } from './units.ts';

let table: Table;
beforeAll(async () => {
  table = await testTable();
});

describe('sizes', () => {
  test('are those that the database publishes', () => {
    expect(sizeOf('naïve')).toBe(6);
    expect(sizeOf(new Uint8Array(5))).toBe(5);
    expect([sizeOf(0), sizeOf(27), sizeOf(-27), sizeOf(461.01), sizeOf(1_700_000_000_000_000)]).toEqual([
      2, 2, 3, 4, 2,
    ]);
    expect([sizeOf(true), sizeOf(null)]).toEqual([1, 1]);
    expect(sizeOf(['a', 'b'])).toBe(3 + 2 * 2);
    expect(sizeOf({ a: 'b' })).toBe(3 + 1 + 2);
    expect(sizeOf(new Set(['ab', 'c']))).toBe(3);
    expect(itemSize({ ...storedKey('p', 's'), none: undefined })).toBe(6);
  });

  test('are rounded up to whole units, one at least', () => {
    expect([0, 1, 1024, 1025].map(writeUnits)).toEqual([1, 1, 1, 2]);
    expect([0, 4096, 4097].map(readUnits)).toEqual([1, 1, 2]);
  });
});

describe('a counting table', () => {
  const kilobytes = (count: number) => 'x'.repeat(count * 1024 - 100);

  test('counts writes alone once and in transactions twice, checks and removals too', async () => {
    const { table: counting, units } = countingTable(table);
    await counting.put({ ...storedKey('writes', 'a'), text: kilobytes(3) });
    expect(units).toEqual({ read: 0, write: 3 });
    await counting.update(storedKey('writes', 'a'), {
      UpdateExpression: 'REMOVE #text',
      ExpressionAttributeNames: { '#text': 'text' },
    });
    expect(units.write).toBe(6);
    await counting.putMany([storedKey('writes', 'b'), { ...storedKey('writes', 'c'), text: kilobytes(2) }]);
    expect(units.write).toBe(9);
    await counting.transact([
      { put: { ...storedKey('writes', 'd'), text: kilobytes(2) } },
      { check: storedKey('writes', 'c'), ConditionExpression: 'attribute_exists(pk)' },
      { remove: storedKey('writes', 'b') },
      { update: storedKey('writes', 'a'), UpdateExpression: 'SET n = :n', ExpressionAttributeValues: { ':n': 1 } },
    ]);
    expect(units).toEqual({ read: 0, write: 9 + 4 + 4 + 2 + 2 });
  });

  test('counts items of a Query together and others one by one, missing ones too', async () => {
    await table.putMany(['a', 'b', 'c'].map((sk) => ({ ...storedKey('reads', sk), text: kilobytes(3) })));
    const { table: counting, units } = countingTable(table);
    await counting.query({ pk: testPartition('reads') });
    expect(units.read).toBe(3);
    await counting.getMany(['a', 'b', 'missing'].map((sk) => storedKey('reads', sk)));
    expect(units.read).toBe(6);
    await counting.get(storedKey('reads', 'missing'));
    await counting.query({ pk: testPartition('nothing') });
    expect(units).toEqual({ read: 8, write: 0 });
  });
});
