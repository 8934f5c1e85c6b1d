import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STATES, type StateName, worstOf } from '#console/model/states.ts';
import { ticksOf } from '#console/parts/plot/model/ticks.ts';
import { blocksOf, type Interval, merged, timeByState } from '#console/parts/plot/model/timeline.ts';
import { panned, selected, showing, zoomed } from '#console/parts/plot/model/view.ts';

const states = Object.keys(STATES) as StateName[];
const intervals = fc.array(
  fc.record({
    from: fc.integer({ min: 0, max: 900 }),
    length: fc.integer({ min: 0, max: 200 }),
    state: fc.constantFrom(...states),
  }),
  { maxLength: 30 },
);
const period = { from: 0, to: 1000 };
const made = (given: { from: number; length: number; state: StateName }[]): Interval[] =>
  given.map(({ from, length, state }) => ({ from, to: from + length, state }));

describe('a timeline', () => {
  it('joins neighbours with the same state and keeps gaps', () => {
    const joined = merged([
      { from: 20, to: 30, state: 'compliant' },
      { from: 0, to: 10, state: 'compliant' },
      { from: 10, to: 15, state: 'compliant' },
      { from: 30, to: 30, state: 'non-compliant' },
    ]);
    expect(joined).toEqual([
      { from: 0, to: 15, state: 'compliant' },
      { from: 20, to: 30, state: 'compliant' },
    ]);
  });

  it('never has more blocks than columns, and no two at one place', () => {
    fc.assert(
      fc.property(intervals, fc.integer({ min: 1, max: 60 }), (given, columns) => {
        const blocks = blocksOf(merged(made(given)), period, columns);
        expect(blocks.length).toBeLessThanOrEqual(columns);
        blocks.reduce((end, { x, width }) => {
          expect(x).toBeGreaterThanOrEqual(end);
          return x + width;
        }, 0);
      }),
    );
  });

  it('loses no state: each instant is shown as its own state or a worse one', () => {
    fc.assert(
      fc.property(intervals, fc.integer({ min: 1, max: 60 }), (given, columns) => {
        const all = made(given).filter(({ from, to }) => to > from);
        const blocks = blocksOf(merged(all), period, columns);
        for (const { from, to, state } of all) {
          if (from >= period.to) continue;
          const middle = (from + Math.min(to, period.to)) / 2;
          const shown = blocks.find((block) => block.from <= middle && middle < block.to + 1e-6);
          expect(shown && worstOf(shown.state, state)).toBe(shown?.state);
          expect(shown).toBeDefined();
        }
      }),
    );
  });

  it('shows three minutes of failure in ninety days', () => {
    const day = 86_400;
    const blocks = blocksOf(
      [
        { from: 0, to: 45 * day, state: 'compliant' },
        { from: 45 * day, to: 45 * day + 180, state: 'non-compliant' },
        { from: 45 * day + 180, to: 90 * day, state: 'compliant' },
      ],
      { from: 0, to: 90 * day },
      1000,
    );
    expect(blocks.map(({ state, width }) => [state, width])).toEqual([
      ['compliant', 500],
      ['non-compliant', 1],
      ['compliant', 499],
    ]);
  });

  it('is empty for a period without length', () => {
    expect(blocksOf([{ from: 0, to: 5, state: 'compliant' }], { from: 3, to: 3 }, 10)).toEqual([]);
  });

  it('counts how long each state held within the period', () => {
    const times = timeByState(
      [
        { from: -50, to: 10, state: 'compliant' },
        { from: 10, to: 30, state: 'unknown' },
        { from: 990, to: 2000, state: 'compliant' },
      ],
      period,
    );
    expect([...times]).toEqual([
      ['compliant', 20],
      ['unknown', 20],
    ]);
  });
});

describe('an axis', () => {
  const day = 86_400;
  it.each([
    [3600, ['00:30']],
    [2 * day, ['12:00', '2 Jan', '12:00']],
    [40 * day, ['1 Jan', '1 Feb']],
  ])('an axis of %d seconds has few round times', (seconds) => {
    const ticks = ticksOf({ from: 1, to: seconds }, 6);
    expect(ticks.length).toBeGreaterThan(0);
    expect(ticks.length).toBeLessThanOrEqual(6);
    expect(ticks.every(({ at }) => at >= 1 && at < seconds)).toBe(true);
  });
});

describe('ticks', () => {
  const labels = (from: string, to: string) =>
    ticksOf({ from: Date.parse(from) / 1000, to: Date.parse(to) / 1000 }, 6).map(({ label }) => label);

  it.each([
    ['2026-11-21T20:00:00Z', '2026-11-22T08:00:00Z', ['21 Nov 21:00', '22 Nov', '03:00', '06:00']],
    ['2026-10-20T00:00:00Z', '2027-02-02T00:00:00Z', ['Nov 2026', 'Dec', 'Jan 2027', 'Feb']],
    ['2026-11-20T00:00:00Z', '2026-11-23T00:00:00Z', ['20 Nov', '12:00', '21 Nov', '12:00', '22 Nov', '12:00']],
  ])('ticks from %s to %s say the date', (from, to, expected) => {
    expect(labels(from, to)).toEqual(expected);
  });
});

describe('a view', () => {
  const whole = { from: 0, to: 100_000 };

  it('zooms around an instant, never beyond the whole', () => {
    expect(zoomed(whole, whole, 0.5)).toEqual({ from: 25_000, to: 75_000 });
    expect(zoomed(whole, whole, 0.5, 90_000)).toEqual({ from: 45_000, to: 95_000 });
    expect(zoomed({ from: 25_000, to: 75_000 }, whole, 4)).toEqual(whole);
    expect(zoomed({ from: 1000, to: 1300 }, whole, 0.1)).toEqual({ from: 1135, to: 1435 });
  });

  it('moves as far as the whole reaches', () => {
    expect(panned({ from: 10_000, to: 30_000 }, whole, 0.5)).toEqual({ from: 20_000, to: 40_000 });
    expect(panned({ from: 10_000, to: 30_000 }, whole, -2)).toEqual({ from: 0, to: 20_000 });
    expect(panned({ from: 70_000, to: 90_000 }, whole, 2)).toEqual({ from: 80_000, to: 100_000 });
  });

  it('moves to a stretch that it does not show', () => {
    const view = { from: 40_000, to: 60_000 };
    expect(showing(view, whole, { from: 50_000, to: 99_000 })).toBe(view);
    expect(showing(view, whole, { from: 70_000, to: 75_000 })).toEqual({ from: 55_000, to: 75_000 });
    expect(showing(view, whole, { from: 5000, to: 8000 })).toEqual({ from: 5000, to: 25_000 });
  });

  it('is what was marked, in either direction', () => {
    expect(selected(9000, 1000, whole)).toEqual({ from: 1000, to: 9000 });
    expect(selected(99_990, 120_000, whole)).toEqual({ from: 99_700, to: 100_000 });
  });
});
