import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromSeconds, toSeconds } from '#shared/base/time.ts';
import {
  BOUND_PATTERN,
  type EventRange,
  intersection,
  resolveEventRange,
} from '#shared/environments/rules/event-range.ts';
import { historyOf, NOW } from './history.ts';

const HOUR = fromSeconds(3600);
/** Four snapshots: 60 days, 3 days, 2 hours and 10 minutes ago. */
const times = [NOW - 60 * 24 * HOUR, NOW - 3 * 24 * HOUR, NOW - 2 * HOUR, NOW - HOUR / 6] as const;
const four = historyOf(...times);
const resolve = (asked: EventRange, history = four) => resolveEventRange(asked, NOW, history);
const seconds = times.map((at) => at / 1e6);

describe('the range of events', () => {
  test.each<[EventRange, number, number]>([
    [{}, 1, 4],
    [{ start: '', end: '' }, 1, 4],
    [{ start: '1', end: 'NOW' }, 1, 4],
    [{ start: '2', end: '3' }, 2, 3],
    [{ start: '-2' }, 3, 4],
    [{ end: '-2' }, 1, 3],
    [{ start: 'now' }, 4, 4],
    [{ start: '-99', end: '99' }, 1, 4],
  ])('%j of four snapshots is %i to %i', async (asked, from, to) => {
    expect(await resolve(asked)).toEqual({ from, to });
  });

  test.each(
    Object.entries({
      '5m': 5,
      '30mins': 4,
      '30 minutes': 4,
      '1h': 4,
      '1hour': 4,
      '3hrs': 3,
      '1DAY': 3,
      '2days': 3,
      '4days': 2,
      '1w': 2,
      '2weeks': 2,
      '1month': 2,
      '2months': 1,
      '3 months': 1,
    }),
  )('begins %s ago with snapshot %i', async (start, from) => {
    expect(start).toMatch(new RegExp(BOUND_PATTERN));
    expect(await resolve({ start })).toEqual({ from, to: 4 });
  });

  test('ends at the snapshot that was current at the end of the span', async () => {
    expect(await resolve({ end: '1hour' })).toEqual({ from: 1, to: 3 });
    expect(await resolve({ start: '4days', end: '1h' })).toEqual({ from: 2, to: 3 });
    expect(await resolve({ end: '999999999999999weeks' })).toEqual({ from: 1, to: 0 });
  });

  test('reads large integers and fractions as seconds since the epoch, both ends included', async () => {
    const [, second = 0, third = 0] = seconds;
    expect(await resolve({ start: String(second), end: String(third) })).toEqual({ from: 2, to: 3 });
    expect(await resolve({ startTs: second, endTs: third })).toEqual({ from: 2, to: 3 });
    expect(await resolve({ startTs: second + 1e-5, endTs: third - 1e-5 })).toEqual({ from: 3, to: 2 });
    expect(await resolve({ start: String(Math.ceil(second)) })).toEqual({ from: 3, to: 4 });
    expect(await resolve({ start: '1000000000' })).toEqual({ from: 1, to: 4 });
    expect(await resolve({ start: '999999999' })).toMatchObject({ from: 999_999_999, to: 4 });
  });

  test('lies within every given bound', async () => {
    const [first = 0, , third = 0] = seconds;
    expect(await resolve({ start: '2', startTs: first, end: 'NOW', endTs: third })).toEqual({ from: 2, to: 3 });
    expect(await resolve({ start: '1', startTs: third })).toEqual({ from: 3, to: 4 });
    expect(intersection({ from: 2, to: 9 }, { from: 1, to: 4 })).toEqual({ from: 2, to: 4 });
  });

  test('is empty if no snapshot can lie in it', async () => {
    const empty = [{ start: '9' }, { start: '3', end: '2' }, { startTs: toSeconds(NOW) + 1 }, { endTs: 0 }];
    for (const asked of empty) {
      const { from, to } = await resolve(asked);
      expect(from).toBeGreaterThan(to);
    }
    expect(await resolve({}, historyOf())).toEqual({ from: 1, to: 0 });
    expect(await resolve({ start: '-1' }, historyOf())).toEqual({ from: 1, to: 0 });
  });

  test.each([
    ...['0', '-0', 'x', '1.5h', '-1h', 'h', '1fortnight', '1constructor', 'yesterday', '#1', '1..2', '1e9', '~1'],
  ])('%j is refused under the name of its parameter', async (text) => {
    expect(text).not.toMatch(new RegExp(BOUND_PATTERN));
    const message = `Input should be a snapshot index, a Unix timestamp, a span such as '2days', or NOW [input: ${text}]`;
    await expect(resolve({ start: text })).rejects.toMatchObject({
      kind: 'invalid',
      errors: { 'query.start': message },
    });
    await expect(resolve({ end: text })).rejects.toMatchObject({ kind: 'invalid', errors: { 'query.end': message } });
  });

  test('a range of times holds the snapshots that were made in that time', async () => {
    const instants = fc
      .array(fc.integer({ min: 1, max: 60 }), { maxLength: 12 })
      .map((list) => list.sort((a, b) => a - b));
    await fc.assert(
      fc.asyncProperty(instants, fc.nat(70), fc.nat(70), async (made, startTs, endTs) => {
        const { from, to } = await resolve({ startTs, endTs }, historyOf(...made.map(fromSeconds)));
        const inside = made.flatMap((time, n) => (startTs <= time && time <= endTs ? [n + 1] : []));
        const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n);
        expect(numbers).toEqual(inside);
      }),
    );
  });
});
