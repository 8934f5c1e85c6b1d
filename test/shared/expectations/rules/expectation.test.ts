import { describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '#shared/base/texts/durations.ts';
import { EPOCH, micros } from '#shared/base/time.ts';
import { judgeReports, usualGrace } from '#shared/expectations/rules/expectation.ts';

const at = (minutes: number) => micros(minutes * MINUTE);
const expectation = { every: 20 * MINUTE, grace: 5 * MINUTE, startsAt: EPOCH };

describe('a report', () => {
  it('is late after the interval, and missed after the grace, both exactly', () => {
    const times = { created: at(0), reported: at(100) };
    const states = [at(120), micros(at(120) + 1), at(125), micros(at(125) + 1)].map(
      (now) => judgeReports(expectation, times, now).state,
    );
    expect(states).toEqual(['met', 'late', 'late', 'missed']);
    expect(judgeReports(expectation, times, at(0)).due).toBe(at(125));
  });

  it('that never came counts from the creation of the environment', () => {
    expect(judgeReports(expectation, { created: at(10), reported: EPOCH }, at(20))).toEqual({
      state: 'met',
      due: at(35),
    });
    expect(judgeReports(expectation, { created: at(10), reported: EPOCH }, at(36)).state).toBe('missed');
  });

  it('is not expected before the start', () => {
    const later = { ...expectation, startsAt: at(1_000) };
    const times = { created: at(0), reported: at(100) };
    expect(judgeReports(later, times, at(1_020))).toEqual({ state: 'met', due: at(1_025) });
    expect(judgeReports(later, times, at(1_026)).state).toBe('missed');
  });
});

describe('the grace of an expectation that names none', () => {
  it.each([
    [MINUTE, MINUTE],
    [10 * MINUTE, MINUTE],
    [20 * MINUTE, 2 * MINUTE],
    [90 * DAY, 9 * DAY],
    [400 * DAY, 30 * DAY],
  ])('an interval of %d has the grace %d', (every, grace) => {
    expect(usualGrace(every)).toBe(grace);
  });
});
