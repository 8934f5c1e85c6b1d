import { describe, expect, test } from 'vitest';
import { micros, plus } from '#shared/base/time.ts';
import { WRITTEN_EVERY, WriteTimes } from '#shared/base/write-times.ts';

const NOW = micros(1_800_000_000_000_000);

describe('the times of writes', () => {
  test('a write is due once a minute, each name for itself', () => {
    const times = new WriteTimes();
    expect(times.isDue('one', NOW)).toBe(true);
    times.remember('one', NOW);
    expect(times.isDue('one', plus(NOW, WRITTEN_EVERY - 1))).toBe(false);
    expect(times.isDue('other', NOW)).toBe(true);
    expect(times.isDue('one', plus(NOW, WRITTEN_EVERY))).toBe(true);
  });

  test('older times are forgotten at the limit instead of kept', () => {
    const times = new WriteTimes();
    for (let i = 0; i <= 50_000; i += 1) times.remember(String(i), NOW);
    expect([times.isDue('50000', NOW), times.isDue('0', NOW)]).toEqual([false, true]);
  });
});
