import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  dateOf,
  deploymentFrequency,
  FREQUENCY_DAYS,
  frequencyStart,
} from '#shared/environments/rules/deployment-frequency.ts';
import { utc } from './history.ts';

const NOW = utc('2026-03-01T13:30:00');

describe('the frequency of deployments', () => {
  test('counts 28 days in UTC up to today, also over the end of a month', () => {
    const { days, start, end } = deploymentFrequency(() => 0, NOW);
    expect(days).toHaveLength(28);
    expect([days[0]?.date, days[27]?.date]).toEqual(['2026-02-02', '2026-03-01']);
    expect([start, end]).toEqual([utc('2026-02-02'), NOW]);
    expect(days[0]?.at).toBe(start);
  });

  test('computes the total, and the median as the mean of the two middle days', () => {
    const counts = new Map([
      ['2026-03-01', 5],
      ['2026-02-28', 9],
      ['2025-12-31', 100],
    ]);
    const few = deploymentFrequency((date) => counts.get(date) ?? 0, NOW);
    expect([few.total, few.medianPerDay, few.averagePerDay]).toEqual([14, 0, 0.5]);
    // Fourteen days with one, fourteen with two.
    const even = deploymentFrequency((date) => (date < '2026-02-16' ? 1 : 2), NOW);
    expect([even.total, even.medianPerDay, even.averagePerDay]).toEqual([42, 1.5, 1.5]);
  });

  test('asks for each day once, at any time of the day', () => {
    fc.assert(
      fc.property(fc.integer({ min: utc('2020-01-01'), max: utc('2040-01-01') }), (now) => {
        const { days, total, start } = deploymentFrequency(() => 1, now);
        expect(new Set(days.map(({ date }) => date)).size).toBe(FREQUENCY_DAYS);
        expect(total).toBe(FREQUENCY_DAYS);
        expect(days.at(-1)?.date).toBe(dateOf(now));
        expect(start).toBe(frequencyStart(now));
        expect(start % 86_400_000_000).toBe(0);
      }),
    );
  });
});
