import { describe, expect, test } from 'vitest';
import { Contention, PATIENCE_MILLIS, retrying } from '#shared/base/retry.ts';

/** A clock that only sleeping moves, which keeps the length of every wait. */
function fakeTime(random: () => number) {
  let millis = 0;
  const waits: number[] = [];
  const sleep = async (wait: number) => {
    waits.push(wait);
    millis += wait;
  };
  return { waits, elapsed: () => millis, options: { now: () => millis, random, sleep } };
}

describe('retrying', () => {
  test('returns the result of a successful attempt without waiting', async () => {
    const { waits, options } = fakeTime(() => 1);
    expect(await retrying(async () => 42, options)).toBe(42);
    expect(waits).toEqual([]);
  });

  test('waits up to twice as long each round, up to a second', async () => {
    const { waits, options } = fakeTime(() => 1);
    let rounds = 0;
    await retrying(async () => (++rounds < 10 ? 'again' : 'done'), options);
    expect(waits).toEqual([20, 40, 80, 160, 320, 640, 1000, 1000, 1000]);
  });

  test('waits a random part of that time, so that writers do not collide again', async () => {
    const draws = [0, 0.5, 0.25];
    const { waits, options } = fakeTime(() => draws.shift() ?? 1);
    let rounds = 0;
    await retrying(async () => (++rounds < 4 ? 'again' : 'done'), options);
    expect(waits).toEqual([0, 20, 20]);
  });

  test('gives up after its patience and never waits longer', async () => {
    const { elapsed, options } = fakeTime(() => 1);
    await expect(retrying(async () => 'again', options)).rejects.toBeInstanceOf(Contention);
    expect(elapsed()).toBeGreaterThan(PATIENCE_MILLIS - 1001);
    expect(elapsed()).toBeLessThan(PATIENCE_MILLIS);
  });

  test('throws the error of an attempt at once', async () => {
    const { waits, options } = fakeTime(() => 1);
    await expect(
      retrying(async () => {
        throw new RangeError('no');
      }, options),
    ).rejects.toThrow(RangeError);
    expect(waits).toEqual([]);
  });

  test('does not outlast the retries that it is part of', async () => {
    const { elapsed, options } = fakeTime(() => 1);
    const inner = () => retrying(async (): Promise<'again'> => 'again', options);
    let rounds = 0;
    const outer = retrying(async () => (++rounds < 9 ? 'again' : inner()), options);
    await expect(outer).rejects.toBeInstanceOf(Contention);
    expect(elapsed()).toBeLessThan(PATIENCE_MILLIS);
  });
});
