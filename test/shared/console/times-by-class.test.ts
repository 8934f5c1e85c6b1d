import { describe, expect, it } from 'vitest';
import { timesByClass } from '#shared/console/times-by-class.ts';

describe('timesByClass', () => {
  it('puts each time into one class, its upper edge included', () => {
    const found = timesByClass([0, 300, 301, 3600, 3_000_000]);
    expect(found.map(({ count }) => count)).toEqual([2, 1, 1, 0, 0, 0, 0, 0, 1]);
    expect(found.at(-1)).toEqual({ up_to: null, count: 1 });
  });

  it('has all classes for nothing', () => {
    expect(timesByClass([]).every(({ count }) => count === 0)).toBe(true);
  });
});
