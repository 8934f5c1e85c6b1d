import { describe, expect, it } from 'vitest';
import { BATCH_BYTES, BATCH_ENTRIES, BUNDLE_ENTRIES, batchLength, compareSubjects } from '#shared/log/rules/batches.ts';
import type { Subject } from '#shared/log/rules/entry.ts';
import { testId } from '#test/support/ids.ts';

const lengths = (count: number, bytes = 500) => Array.from({ length: count }, () => bytes);

describe('batchLength', () => {
  it.each([
    [0, 1, 1],
    [0, 98, 98],
    [0, 99, 98],
    [255, 98, 1],
    [254, 98, 2],
    [256, 98, 98],
    [257, 300, 98],
    [65_535, 98, 1],
    [65_536, 98, 98],
    [7, 0, 0],
  ])('batchLength in a log of size %i with %i entries waiting takes %i', (size, waiting, taken) => {
    expect(batchLength(size, lengths(waiting))).toBe(taken);
  });

  it('cuts any number of entries into batches that fit a transaction and lie in one bundle', () => {
    for (let since = 0; since < BUNDLE_ENTRIES; since += 5) {
      let size = since;
      for (let left = 700; left > 0; ) {
        const taken = batchLength(size, lengths(left));
        expect(taken).toBeGreaterThan(0);
        expect(taken).toBeLessThanOrEqual(BATCH_ENTRIES);
        expect(Math.floor((size + taken - 1) / BUNDLE_ENTRIES)).toBe(Math.floor(size / BUNDLE_ENTRIES));
        size += taken;
        left -= taken;
      }
    }
  });

  it('keeps a batch below the size of an item, with one entry at least', () => {
    expect(batchLength(0, lengths(98, BATCH_BYTES / 3))).toBe(3);
    expect(batchLength(0, lengths(98, BATCH_BYTES + 1))).toBe(1);
  });
});

describe('compareSubjects', () => {
  it('orders subjects by chain and number', () => {
    const trail = (name: string, number: number): Subject => ({
      kind: 'trail',
      flow: testId('f'),
      trail: testId(name),
      number,
    });
    const environment: Subject = { kind: 'environment', environment: testId('e'), number: 3 };
    const sorted = [environment, trail('a', 9), trail('a', 10), trail('b', 1)];
    expect([...sorted].reverse().sort(compareSubjects)).toEqual(sorted);
  });
});
