import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complianceTimes } from '#console/environment/model/compliance-times.ts';

const snapshots = (...states: (boolean | null)[]) =>
  states.map((state, n) => ({ index: n + 1, from: (n + 1) * 100, state }));

describe('how long an environment was not compliant', () => {
  it.each([
    ['always compliant', [true, true], []],
    ['failed once', [true, false, true], [100]],
    ['failed over several snapshots', [false, false, true], [200]],
    ['was unknown in between', [false, null, true], [200]],
    ['failed after it was unknown', [null, false, true], [100]],
    ['fails still', [true, false], []],
    ['failed twice', [false, true, false, false, true, true], [100, 200]],
    ['never reported', [], []],
  ] as const)('is counted if it %s', (_, states, times) => {
    expect(complianceTimes(snapshots(...states), 0)).toEqual(times);
    expect(complianceTimes(snapshots(...states).toReversed(), 0)).toEqual(times);
  });

  it('counts what ended in the period, with its whole length', () => {
    expect(complianceTimes(snapshots(false, true, false, false, true), 300)).toEqual([200]);
  });

  it('is never negative, and the times together are no longer than the history', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(true, false, null)), (states) => {
        const times = complianceTimes(snapshots(...states), 0);
        expect(times.every((time) => time > 0)).toBe(true);
        expect(times.reduce((sum, time) => sum + time, 0)).toBeLessThanOrEqual(100 * states.length);
      }),
    );
  });
});
