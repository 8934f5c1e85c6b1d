import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MINUTE } from '#shared/base/texts/durations.ts';
import { type Micros, micros } from '#shared/base/time.ts';
import { playArrivals, playOnce } from '#shared/expectations/rules/dry-run/play-arrivals.ts';
import { judgeReports } from '#shared/expectations/rules/expectation.ts';

const BEGIN = micros(1_700_000_000_000_000);
const terms = { every: 20 * MINUTE, grace: 2 * MINUTE };
const minute = (at: number) => micros(BEGIN + at * MINUTE);
const shown = (gaps: readonly { from: Micros; until: Micros | null }[]) =>
  gaps.map(({ from, until }) => [(from - BEGIN) / MINUTE, until && (until - BEGIN) / MINUTE]);
const play = (arrivals: number[], now: number) =>
  playArrivals(terms, { arrivals: arrivals.map(minute), begin: BEGIN, now: minute(now) });

describe('a dry run of what comes again and again', () => {
  it('finds the silence after the begin, between arrivals and until now, and none before the begin', () => {
    expect(shown(play([-50, 30, 52, 75], 98))).toEqual([
      [20, 30],
      [72, 75],
      [95, null],
    ]);
  });

  it('finds no gap while nothing is longer than every and grace together, and one an instant later', () => {
    const now = micros(BEGIN + terms.every + terms.grace);
    const run = (at: Micros) => playArrivals(terms, { arrivals: [], begin: BEGIN, now: at });
    expect([run(now), run(micros(now + 1))]).toMatchObject([[], [{ from: BEGIN + terms.every, until: null }]]);
  });

  it('has a gap at an instant after its grace exactly if the subject was missed then', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 20 }),
        fc.integer({ min: 0, max: 400 }),
        (list, at) => {
          const arrivals = list.toSorted((one, other) => one - other).map(minute);
          const now = micros(minute(at) + 1);
          const gaps = playArrivals(terms, { arrivals, begin: BEGIN, now: minute(500) });
          const inGap = gaps.some((gap) => now > gap.from + terms.grace && now <= (gap.until ?? minute(500)));
          const reported = arrivals.findLast((one) => one <= now) ?? BEGIN;
          const times = { created: BEGIN, reported };
          const { state } = judgeReports({ ...terms, startsAt: BEGIN }, times, now);
          expect(inGap).toBe(state === 'missed');
        },
      ),
    );
  });
});

describe('a dry run of what comes once', () => {
  it.each([
    ['came in time', 21, []],
    ['came with the last instant of grace', 22, []],
    ['came too late', 23, [[20, 23]]],
    ['never came', null, [[20, null]]],
  ])('has the gap of what %s', (_, met, gaps) => {
    const times = { begun: BEGIN, met: met === null ? null : minute(met) };
    expect(shown(playOnce(terms, times, minute(60)))).toEqual(gaps);
  });

  it('has none while it is not due', () => {
    expect(playOnce(terms, { begun: BEGIN, met: null }, minute(22))).toEqual([]);
  });
});
