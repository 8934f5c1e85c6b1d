import { describe, expect, it } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { type StateChange, stateHistory } from '#shared/environments/rules/state-intervals.ts';

const change = (index: number, at: number, state: boolean | null, was: boolean | null): StateChange => ({
  index,
  at: micros(at),
  state,
  was,
});

describe('the states of a window', () => {
  it('are intervals between changes, the last one open, the first one cut to the window', () => {
    const changes = [change(4, 300, true, null), change(9, 400, false, true)];
    expect(stateHistory({ state: false, since: micros(400) }, changes, micros(200), 60)).toEqual({
      since: 400,
      intervals: [
        { from: 200, to: 300, state: null },
        { from: 300, to: 400, state: true },
        { from: 400, to: null, state: false },
      ],
      hasEarlier: false,
    });
  });

  it('are one interval if nothing changed in the window', () => {
    expect(stateHistory({ state: true, since: micros(10) }, [], micros(200), 60)).toEqual({
      since: 10,
      intervals: [{ from: 200, to: null, state: true }],
      hasEarlier: false,
    });
  });

  it('are none without snapshots', () => {
    const nothing = { since: null, intervals: [], hasEarlier: false };
    expect(stateHistory({ state: null, since: micros(0) }, [], micros(0), 60)).toEqual(nothing);
  });

  it.each([
    ['the first snapshot', change(1, 300, true, null), 300],
    ['a change at the first instant', change(7, 200, true, false), 200],
  ])('begin with %s', (_, first, from) => {
    const { intervals } = stateHistory({ state: true, since: micros(from) }, [first], micros(200), 60);
    expect(intervals).toEqual([{ from, to: null, state: true }]);
  });

  it('say that earlier ones exist if they are too many', () => {
    const many = Array.from({ length: 5 }, (_, i) => change(i + 1, 100 + i, i % 2 === 0, i % 2 === 1));
    const { intervals, hasEarlier } = stateHistory({ state: true, since: micros(104) }, many, micros(0), 3);
    expect([intervals.map(({ from }) => from), hasEarlier]).toEqual([[102, 103, 104], true]);
  });
});
