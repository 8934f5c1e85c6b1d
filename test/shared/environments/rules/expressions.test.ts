import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromSeconds, micros, minus } from '#shared/base/time.ts';
import {
  type History,
  parseSegment,
  parseSnappish,
  readPoint,
  resolveExpression,
} from '#shared/environments/rules/expressions.ts';
import { historyOf, NOW, utc } from './history.ts';

const at = (history: History, segment: string) =>
  resolveExpression(parseSegment(segment, NOW), { ...history, org: 'acme', env: 'prod' });
const snappish = (history: History, text: string) => {
  const expression = parseSnappish(text, NOW);
  return resolveExpression(expression, { ...history, org: 'acme', env: expression.env });
};
/** Three snapshots: on the first of May, of June, and an hour ago. */
const three = historyOf(utc('2026-05-01'), utc('2026-06-01'), minus(NOW, fromSeconds(3600)));

describe('a snapshot expression in a path', () => {
  test.each(
    Object.entries({
      '1': 1,
      '3': 3,
      '03': 3,
      '#2': 2,
      '-1': 3,
      '-3': 1,
      '~0': 3,
      '~2': 1,
      '~': 2,
      '@{now}': 3,
      '@{2026-05-01T00:00:00}': 1,
      '@{2026-05-31T23:59:59}': 1,
      '@{2026-06-01T00:00:00}': 2,
      '@{2026-05-31T23:59:59.999999Z}': 1,
      '@{2026-06-01T00:00:00Z}': 2,
      '@{2099-01-01T00:00:00}': 3,
      '@{1.minutes.ago}': 3,
      '@{1.hours.ago}': 3,
      '@{1.hour.ago}': 3,
      '@{2.hours.ago}': 2,
      '@{1.days.ago}': 2,
      '@{1.week.ago}': 2,
      '@{4.weeks.ago}': 1,
      '@{1.months.ago}': 1,
    }),
  )('%s of three is snapshot %i', async (segment, index) => {
    expect(await at(three, segment)).toBe(index);
  });

  test.each<[string, string, number]>([
    ['4', 'prod#4', 4],
    ['0', 'prod#0', 0],
    ['#23', 'prod#23', 23],
    ['-4', 'prod#-4', 0],
    ['~3', 'prod~3', 0],
    ['~9', 'prod~9', -6],
    ['@{2026-04-30T23:59:59}', 'prod@{2026-04-30T23:59:59}', 0],
    ['@{999999999999999.months.ago}', 'prod@{999999999999999.months.ago}', 0],
    ['@{999999999999999.weeks.ago}', 'prod@{999999999999999.weeks.ago}', 0],
  ])('%s of three is out of range', async (segment, label, index) => {
    await expect(at(three, segment)).rejects.toMatchObject({
      kind: 'not-found',
      message: `Org: 'acme'. Snapshot '${label}' resolves to 'prod#${index}'. len(snapshots) == 3. Indexes are 1-based`,
    });
  });

  test('the newest snapshot of an empty history resolves to 0', async () => {
    await expect(at(historyOf(), '-1')).rejects.toMatchObject({
      message: "Org: 'acme'. Snapshot 'prod#-1' resolves to 'prod#0'. len(snapshots) == 0. Indexes are 1-based",
    });
  });

  test.each([
    ...['#abc', 'abc', '', '#', '#-1', '+1', '1.5', '~-1', '~x', '@', '@{}', '@now', '@{NOW}', '1234567890123456'],
    ...['@{0.hours.ago}', '@{-1.hours.ago}', '@{1.years.ago}', '@{1.hours}', '@{2026-02-30T00:00:00}'],
    ...['@{2026-01-01}', '@{2026-01-01T24:00:00}', '@{2026-01-01T00:00:60}', '@{2026-13-01T00:00:00}', '@{now', ' 1'],
  ])('%j is refused', (segment) => {
    expect(() => parseSegment(segment, NOW)).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        message: expect.stringMatching(/^invalid expression: .*It should be a snapshot index/),
      }),
    );
  });

  test.each(['#3~2', '~1@{now}', '##', '@{#}'])('%s has more than one mark', (segment) => {
    expect(() => parseSegment(segment, NOW)).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        message: `invalid expression: ${segment}. Only one of '@', '~' or '#' can be present`,
      }),
    );
  });
});

describe('a snapshot expression after the name of an environment', () => {
  test.each(
    Object.entries({
      prod: 3,
      'prod#1': 1,
      'prod~1': 2,
      'prod~': 2,
      'prod@{2026-05-02T00:00:00}': 1,
      'prod@{now}': 3,
    }),
  )('%s of three is snapshot %i', async (text, index) => {
    expect(await snappish(three, text)).toBe(index);
  });

  test('ends the name at the first mark', () => {
    expect(parseSnappish('a.b-c_1~4', NOW)).toMatchObject({ env: 'a.b-c_1', suffix: '~4' });
    expect(parseSnappish('prod-1', NOW)).toMatchObject({ env: 'prod-1', suffix: '' });
  });

  test.each([
    ['prod', 'prod', 0, 0],
    ['prod#5', 'prod#5', 5, 3],
    ['prod~3', 'prod~3', 0, 3],
  ])('%s out of range says so in the label', async (text, label, index, count) => {
    await expect(snappish(count === 0 ? historyOf() : three, text)).rejects.toMatchObject({
      kind: 'not-found',
      message: `Org: 'acme'. Snapshot '${label}' resolves to 'prod#${index}'. len(snapshots) == ${count}. Indexes are 1-based`,
    });
  });

  test.each(['prod#abc', '#1', '', 'prod@now', 'prod#-1'])('%j is refused', (text) => {
    expect(() => parseSnappish(text, NOW)).toThrow(/^invalid expression: .*It should be/);
  });

  test('more than one mark is refused with the whole expression', () => {
    expect(() => parseSnappish('prod#3~2', NOW)).toThrow(
      /^invalid expression: prod#3~2\. Only one of '@', '~' or '#' can be present$/,
    );
  });
});

describe('time in expressions', () => {
  const instant = (text: string, now: number = NOW) => readPoint(`@{${text}}`, micros(now));

  test('counts calendar months, and ends at the last day of a shorter one', () => {
    const from = (now: string, months: number) => instant(`${months}.months.ago`, utc(now) + 7);
    expect(from('2026-05-31T10:20:30', 3)).toEqual({ kind: 'instant', at: utc('2026-02-28T10:20:30') + 7 });
    expect(from('2024-03-31', 1)).toEqual({ kind: 'instant', at: utc('2024-02-29') + 7 });
    expect(from('2026-01-15', 13)).toEqual({ kind: 'instant', at: utc('2024-12-15') + 7 });
  });

  test('has microseconds', () => {
    expect(instant('2026-05-01T00:00:00.5')).toEqual({ kind: 'instant', at: utc('2026-05-01') + 500_000 });
    expect(instant('2026-05-01T00:00:00.1234567')).toEqual({ kind: 'instant', at: utc('2026-05-01') + 123_456 });
  });
});

test('N, -N and ~N name the same snapshots', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 500 }), fc.nat(499), async (count, seed) => {
      const index = 1 + (seed % count);
      const history = historyOf(...Array.from({ length: count }, (_, n) => n));
      const named = [`${index}`, `#${index}`, `${index - 1 - count}`, `~${count - index}`];
      expect(await Promise.all(named.map((segment) => at(history, segment)))).toEqual(named.map(() => index));
    }),
    { numRuns: 50 },
  );
});
