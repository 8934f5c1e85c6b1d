import { expect, it } from 'vitest';
import { leadTimes } from '#shared/environments/rules/lead-times.ts';

it.each([
  [[], { known: 0, median: null, p90: null, p99: null }],
  [[7], { known: 1, median: 7, p90: 7, p99: 7 }],
  [[4, 1, 3, 2], { known: 4, median: 2, p90: 4, p99: 4 }],
  [Array.from({ length: 100 }, (_, i) => 100 - i), { known: 100, median: 50, p90: 90, p99: 99 }],
])('leadTimes of %j', (seconds, expected) => {
  expect(leadTimes(seconds)).toEqual(expected);
});
