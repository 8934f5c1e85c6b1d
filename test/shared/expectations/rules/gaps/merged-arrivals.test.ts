import { expect, it } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { mergedArrivals } from '#shared/expectations/rules/gaps/merged-arrivals.ts';

const times = (...all: number[]) => all.map(micros);

it('arrivals of several flows are those of one, from the instant on since which all of each are known', () => {
  expect(mergedArrivals([times(9, 4), times(7), []])).toEqual([9, 7, 4]);
  // Before the oldest of five, the second flow may have had others.
  expect(mergedArrivals([times(9, 1), times(8, 7, 6, 5, 4)])).toEqual([9, 8, 7, 6, 5, 4]);
  expect(mergedArrivals([])).toEqual([]);
});
