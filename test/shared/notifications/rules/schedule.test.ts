import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromMillis } from '#shared/base/time.ts';
import {
  afterFailure,
  DELAYS,
  LONGEST_RETRY_AFTER,
  MOST_ATTEMPTS,
  pauseAskedFor,
} from '#shared/notifications/rules/schedule.ts';

const NOW = fromMillis(Date.UTC(2026, 10, 20));
const HALF = () => 0.5;

describe('the next attempt of a delivery', () => {
  test('follows the delays of the schedule and is never made after the last', () => {
    const seconds = Array.from({ length: MOST_ATTEMPTS }, (_, n) => afterFailure(n + 1, NOW, undefined, HALF)).map(
      (due) => (due === 'dead' ? due : (due - NOW) / 1e6),
    );
    expect(seconds).toEqual([2, 5, 10, 30, 120, 600, 3600, 21_600, 'dead']);
  });

  test('is at most 20 % earlier or later than its delay', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MOST_ATTEMPTS - 1 }), random, (attempt, chance) => {
        const due = Number(afterFailure(attempt, NOW, undefined, () => chance)) - NOW;
        const delay = DELAYS[attempt - 1] ?? 0;
        expect(due).toBeGreaterThanOrEqual(delay * 0.8);
        expect(due).toBeLessThanOrEqual(delay * 1.2);
        expect(Number.isInteger(due)).toBe(true);
      }),
    );
  });

  test('waits for the pause that the target asked for, if it is longer than the delay', () => {
    expect(afterFailure(1, NOW, '90', HALF)).toBe(NOW + 90e6);
    expect(afterFailure(1, NOW, 'Fri, 20 Nov 2026 00:01:00 GMT', HALF)).toBe(NOW + 60e6);
    expect(afterFailure(7, NOW, '90', HALF)).toBe(NOW + 3600e6);
    expect(afterFailure(MOST_ATTEMPTS, NOW, '90', HALF)).toBe('dead');
  });

  test('waits for at most six hours because of a target', () => {
    expect(pauseAskedFor('999999999', NOW)).toBe(LONGEST_RETRY_AFTER);
    expect(pauseAskedFor('Sun, 20 Nov 2044 00:00:00 GMT', NOW)).toBe(LONGEST_RETRY_AFTER);
  });

  test('ignores a header that is in the past or malformed', () => {
    for (const header of [
      '',
      '-5',
      '1e9',
      'soon',
      '12 seconds',
      'Thu, 19 Nov 2020 00:00:00 GMT',
      'Fri, 99 Nov 2026 00:01:00 GMT',
    ]) {
      expect(pauseAskedFor(header, NOW), header).toBe(0);
    }
    fc.assert(
      fc.property(fc.string(), (header) => {
        const pause = pauseAskedFor(header, NOW);
        expect(pause >= 0 && pause <= LONGEST_RETRY_AFTER).toBe(true);
      }),
    );
  });

  test('throws for a failure without an attempt', () => {
    expect(() => afterFailure(0, NOW, undefined, HALF)).toThrow(RangeError);
  });
});
