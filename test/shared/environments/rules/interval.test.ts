import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resolveInterval } from '#shared/environments/rules/interval.ts';
import { historyOf, NOW, utc } from './history.ts';

const ten = historyOf(...Array.from({ length: 10 }, (_, n) => utc(`2026-06-${String(n + 1).padStart(2, '0')}`)));
const resolve = (text: string | undefined, history = ten) => resolveInterval(text, NOW, history);

describe('an interval', () => {
  test.each(
    Object.entries<[number, number]>({
      '': [1, 10],
      '  ': [1, 10],
      '5..8': [5, 8],
      '5..5': [5, 5],
      '#5..#8': [5, 8],
      ' 5 .. 8 ': [5, 8],
      '-3..-2': [8, 9],
      '~5..NOW': [5, 10],
      '..NOW': [10, 10],
      'NOW..now': [10, 10],
      '..3': [3, 10],
      '3..': [3, 10],
      '..': [10, 10],
      '7': [7, 10],
      '~2': [8, 10],
      '~': [9, 10],
      '-10': [1, 10],
      NOW: [10, 10],
      '8..5': [5, 8],
      'NOW..~5': [5, 10],
      ...{
        '1..999': [1, 10],
        '0..3': [1, 3],
        '~99..2': [1, 2],
        '-99..3': [1, 3],
        '10..50': [10, 10],
        '50..10': [10, 10],
        '0..0': [1, 0],
        '50..60': [50, 10],
        '60..50': [50, 10],
        '-99..~99': [1, -88],
        '60': [60, 10],
        '11..': [11, 10],
        '11..NOW': [11, 10],
        'NOW..11': [11, 10],
        '11..~0': [11, 10],
      },
      '@{2026-06-03T00:00:00}..@{2026-06-05T12:00:00}': [3, 5],
      '@{2026-01-01T00:00:00}..2': [1, 2],
      '@{2.weeks.ago}..@{now}': [6, 10],
      '@{1.months.ago}': [1, 10],
      '@{2025-01-01T00:00:00}..@{2025-02-01T00:00:00}': [1, 0],
    }),
  )('%j of ten is %j', async (text, [from, to]) => {
    expect(await resolve(text)).toEqual({ from, to });
  });

  test('is the whole history if it is absent', async () => {
    expect(await resolve(undefined)).toEqual({ from: 1, to: 10 });
  });

  test.each(['', '1..5', 'NOW', '-1'])('%j of an empty history is empty', async (text) => {
    expect(await resolve(text, historyOf())).toEqual({ from: 1, to: 0 });
  });

  test.each(['abc', '1...3', '1..2..3', '1..x', 'x..1', 'later', '1-3', '@{x}..', 'prod#1..2', '......'])(
    '%j is refused, whatever the history',
    async (text) => {
      const refusal = {
        kind: 'invalid',
        message: 'Input payload validation failed',
        errors: {
          'query.interval': `Input should be one snapshot expression or two joined by '..' [input: ${text}]`,
        },
      };
      await expect(resolve(text)).rejects.toMatchObject(refusal);
      await expect(resolve(text, historyOf())).rejects.toMatchObject(refusal);
    },
  );

  test('is empty or lies within the history, for any order of its ends', async () => {
    const ends = fc.oneof(
      fc.constantFrom('', 'NOW', '@{now}', '@{1.weeks.ago}'),
      fc.tuple(fc.constantFrom('', '#', '~', '-'), fc.nat(20)).map(([mark, n]) => `${mark}${n}`),
    );
    await fc.assert(
      fc.asyncProperty(ends, ends, async (a, b) => {
        const { from, to } = await resolve(`${a}..${b}`);
        expect(from > to || (1 <= from && to <= 10)).toBe(true);
        expect(await resolve(`${b}..${a}`)).toEqual({ from, to });
      }),
    );
  });
});
