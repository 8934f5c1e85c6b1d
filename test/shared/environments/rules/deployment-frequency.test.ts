import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { micros, toSeconds } from '#shared/base/time.ts';
import { dateOf, daysOf, deploymentFrequency } from '#shared/environments/rules/deployment-frequency.ts';
import { utc } from './history.ts';

const NOW = utc('2026-03-01T13:30:00');
const DAY = 86_400_000_000;
const at = (text: string) => toSeconds(utc(text));
const dates = (query: Parameters<typeof daysOf>[0], now = NOW) => {
  const { days } = deploymentFrequency(() => 1, daysOf(query, now));
  return [days.length, days[0]?.date, days.at(-1)?.date];
};

describe('the days of a frequency', () => {
  test('are the last 28 days in UTC, also over the end of a month', () => {
    expect(daysOf({}, NOW)).toEqual({ start: utc('2026-02-02'), last: utc('2026-03-01'), end: NOW });
    expect(dates({})).toEqual([28, '2026-02-02', '2026-03-01']);
    expect(dates({}, utc('2026-03-01'))).toEqual([28, '2026-02-02', '2026-03-01']);
  });

  test('are those from the day of the start to the day of the end, both as a whole', () => {
    const query = { start_ts: at('2026-01-10T23:59:59'), end_ts: at('2026-01-12T00:00:00') };
    expect(dates(query)).toEqual([3, '2026-01-10', '2026-01-12']);
    expect(daysOf(query, NOW).end).toBe(utc('2026-01-13'));
    expect(dates({ start_ts: at('2026-02-28T12:00:00') })).toEqual([2, '2026-02-28', '2026-03-01']);
    expect(dates({ end_ts: at('2026-01-28T12:00:00') })).toEqual([28, '2026-01-01', '2026-01-28']);
    expect(dates({ start_ts: toSeconds(NOW), end_ts: toSeconds(NOW) })).toEqual([1, '2026-03-01', '2026-03-01']);
  });

  test('end today if the end is in the future, and begin with the epoch at the earliest', () => {
    expect(daysOf({ end_ts: 1e300 }, NOW)).toEqual(daysOf({}, NOW));
    expect(dates({ end_ts: 0 })).toEqual([1, '1970-01-01', '1970-01-01']);
  });

  test.each([
    [{ start_ts: 200, end_ts: 100 }, 'Input should be less than or equal to end_ts and not in the future [input: 200]'],
    [{ start_ts: 9e9 }, 'Input should be less than or equal to end_ts and not in the future [input: 9000000000]'],
    [{ start_ts: 0 }, 'Input should be at most 366 days before end_ts [input: 0]'],
    [{ start_ts: at('2025-02-28T23:00:00') }, /at most 366 days before end_ts/],
  ])('are refused if they are none, or too many: %j', (query, text) => {
    const errors = { 'query.start_ts': typeof text === 'string' ? text : expect.stringMatching(text) };
    expect(() => daysOf(query, NOW)).toThrow(expect.objectContaining({ kind: 'invalid', errors }));
  });

  test('are at most 366', () => {
    expect(dates({ start_ts: at('2025-03-01') })).toEqual([366, '2025-03-01', '2026-03-01']);
  });

  test('are each asked for once, at any time of the day', () => {
    const instant = { min: utc('2020-01-01'), max: utc('2040-01-01') };
    fc.assert(
      fc.property(fc.integer(instant), fc.integer({ min: 0, max: 365 * DAY }), (now, back) => {
        const days = daysOf({ start_ts: toSeconds(micros(now - back)) }, micros(now));
        const { days: counts, total } = deploymentFrequency(() => 1, days);
        expect(new Set(counts.map(({ date }) => date)).size).toBe(total);
        expect([counts[0]?.date, counts.at(-1)?.date]).toEqual([dateOf(micros(now - back)), dateOf(micros(now))]);
        expect(days.start % DAY).toBe(0);
      }),
    );
  });
});

describe('the frequency of deployments', () => {
  test('computes the total, and the median as the mean of the two middle days', () => {
    const counts = new Map([
      ['2026-03-01', 5],
      ['2026-02-28', 9],
      ['2025-12-31', 100],
    ]);
    const few = deploymentFrequency((date) => counts.get(date) ?? 0, daysOf({}, NOW));
    expect([few.total, few.medianPerDay, few.averagePerDay]).toEqual([14, 0, 0.5]);
    // Fourteen days with one, fourteen with two.
    const even = deploymentFrequency((date) => (date < '2026-02-16' ? 1 : 2), daysOf({}, NOW));
    expect([even.total, even.medianPerDay, even.averagePerDay]).toEqual([42, 1.5, 1.5]);
  });

  test('takes the middle day as the median of an odd number of days', () => {
    const days = daysOf({ start_ts: at('2026-02-27') }, NOW);
    const odd = deploymentFrequency((date) => ({ '2026-02-27': 7, '2026-02-28': 2 })[date] ?? 0, days);
    expect([odd.total, odd.medianPerDay, odd.averagePerDay]).toEqual([9, 2, 3]);
  });
});
