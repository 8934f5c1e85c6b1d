import { describe, expect, it } from 'vitest';
import { leadTimes, timesByClass } from '#shared/environments/rules/lead-times.ts';

it.each([
  [[], { known: 0, median: null, p90: null, p99: null }],
  [[7], { known: 1, median: 7, p90: 7, p99: 7 }],
  [[4, 1, 3, 2], { known: 4, median: 2, p90: 4, p99: 4 }],
  [Array.from({ length: 100 }, (_, i) => 100 - i), { known: 100, median: 50, p90: 90, p99: 99 }],
])('leadTimes of %j', (seconds, expected) => {
  expect(leadTimes(seconds)).toEqual(expected);
});

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
