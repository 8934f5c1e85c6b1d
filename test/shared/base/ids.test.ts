import { describe, expect, test } from 'vitest';
import { firstPreciseIdAt, ID_PATTERN, newId, orderedId, preciseId, timeOfId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';

const NOW = micros(1_795_000_000_123_456);

describe('ids', () => {
  test.each([
    ['of chance', newId],
    ['in order', orderedId],
    ['to the microsecond', preciseId],
  ])('ids contain their millisecond: %s', (_, mint) => {
    const ids = Array.from({ length: 100 }, () => mint(NOW));
    for (const id of ids) expect(id).toMatch(ID_PATTERN);
    expect(new Set(ids).size).toBe(100);
    expect(new Set(ids.map(timeOfId))).toEqual(new Set([NOW - 456]));
  });

  test('sort by microsecond, then by the order of the calls', () => {
    const instants = [NOW, NOW, NOW, NOW + 1, NOW + 1, NOW + 500, NOW + 1_000];
    const ids = instants.map((at) => orderedId(micros(at)));
    expect(ids.toSorted()).toEqual(ids);
  });

  test('ids of one microsecond lie between the first of this microsecond and the first of the next', () => {
    for (const at of [NOW, NOW - 456, NOW - 457, NOW + 543]) {
      const id = preciseId(micros(at));
      expect([firstPreciseIdAt(micros(at + 1)), id, firstPreciseIdAt(micros(at))].toSorted()).toEqual([
        firstPreciseIdAt(micros(at)),
        id,
        firstPreciseIdAt(micros(at + 1)),
      ]);
      expect(preciseId(micros(at - 1)) < firstPreciseIdAt(micros(at))).toBe(true);
    }
  });
});
