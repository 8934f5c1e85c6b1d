import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstMicrosFrom, fromSeconds, lastMicrosTo, micros, toSeconds } from '#shared/base/time.ts';

const NOW = 1_795_000_000_123_456;

test('an instant that an answer shows is read back as the same instant', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 * NOW }), (at) => {
      const seconds = toSeconds(micros(at));
      expect([fromSeconds(seconds), firstMicrosFrom(seconds), lastMicrosTo(seconds)]).toEqual([at, at, at]);
    }),
  );
});

test('a window between two microseconds begins with the later one and ends with the earlier one', () => {
  const between = 100.000_000_4;
  expect([firstMicrosFrom(between), lastMicrosTo(between)]).toEqual([100_000_001, 100_000_000]);
  const nearlyNext = 100.000_000_6;
  expect([firstMicrosFrom(nearlyNext), lastMicrosTo(nearlyNext)]).toEqual([100_000_001, 100_000_000]);
});
