import { describe, expect, it } from 'vitest';
import { changesIn, type StateChange, stateHistory } from '#shared/environments/rules/state-intervals.ts';

const change = (index: number, at: number, state: boolean | null, isStart = true): StateChange => ({
  index,
  at,
  state,
  isStart,
});

describe('the states of a window', () => {
  it('are intervals between changes, the last one open, the first one cut to the window', () => {
    const changes = [change(1, 100, null), change(4, 300, true), change(9, 400, false)];
    expect(stateHistory(changes, 200, 60)).toEqual({
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
    expect(stateHistory([change(1, 10, true)], 200, 60)).toEqual({
      since: 10,
      intervals: [{ from: 200, to: null, state: true }],
      hasEarlier: false,
    });
  });

  it('are none without snapshots', () => {
    expect(stateHistory([], 0, 60)).toEqual({ since: null, intervals: [], hasEarlier: false });
  });

  it('begin with the first snapshot if it is in the window', () => {
    expect(stateHistory([change(1, 300, true)], 200, 60)).toMatchObject({
      intervals: [{ from: 300, to: null }],
      hasEarlier: false,
    });
  });

  it('say that earlier ones exist if they are too many, or if the list begins after the first snapshot', () => {
    const many = Array.from({ length: 5 }, (_, i) => change(i + 1, 100 + i, i % 2 === 0));
    const { intervals, hasEarlier } = stateHistory(many, 0, 3);
    expect([intervals.map(({ from }) => from), hasEarlier]).toEqual([[102, 103, 104], true]);
    expect(stateHistory([change(7, 300, true)], 200, 60).hasEarlier).toBe(true);
    expect(stateHistory([change(7, 150, true)], 200, 60).hasEarlier).toBe(false);
  });
});

describe('the changes in a list of snapshots', () => {
  it('are the snapshots whose state differs from the one before', () => {
    const snapshots = [true, true, null, null, true].map((state, i) => ({ index: i + 1, at: i, state }));
    expect(changesIn(snapshots)).toEqual([change(1, 0, true), change(3, 2, null), change(5, 4, true)]);
  });

  it('do not say since when the oldest state is in force unless it is that of the first snapshot', () => {
    const changes = changesIn([8, 9].map((index) => ({ index, at: index, state: false })));
    expect(changes).toEqual([change(8, 8, false, false)]);
    expect(stateHistory(changes, 0, 60)).toMatchObject({ since: null, hasEarlier: true });
  });
});
