import { describe, expect, it } from 'vitest';
import { ago, asSeconds, duration, fullTime, shortTime } from '#console/model/time.ts';

describe('times', () => {
  it.each([
    [0, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [3 * 3600, '3 h'],
    [3 * 3600 + 120, '3 h 2 min'],
    [2 * 86_400 + 3600, '2 d 1 h'],
    [12 * 86_400, '12 d'],
  ])('%d seconds are «%s»', (seconds, words) => {
    expect(duration(seconds)).toBe(words);
  });

  it.each([
    [1000, 1002, 'just now'],
    [1000, 1040, '40 s ago'],
    [1000, 1000 + 3 * 3600, '3 h ago'],
    [1000 + 300, 1000, 'in 5 min'],
    [0, 100 * 86_400, '3 months ago'],
  ])('%d seen from %d is «%s»', (at, now, words) => {
    expect(ago(at, now)).toBe(words);
  });

  it('has the year only where it is another one, and names UTC', () => {
    const at = Date.UTC(2026, 10, 22, 9, 14, 7) / 1000;
    expect(shortTime(at, at, 'utc')).toBe('22 Nov 09:14');
    expect(shortTime(at, at + 86_400 * 60, 'utc')).toBe('22 Nov 2026 09:14');
    expect(fullTime(at, 'utc')).toBe('22 Nov 2026, 09:14:07 UTC');
  });

  it('takes only numbers that are times', () => {
    expect([asSeconds(5), asSeconds('5'), asSeconds(Number.NaN), asSeconds(1e300), asSeconds(null)]).toEqual([
      5,
      null,
      null,
      null,
      null,
    ]);
  });
});
