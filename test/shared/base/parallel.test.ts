import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { allInOrder, inParallel } from '#shared/base/parallel.ts';

describe('work in parallel', () => {
  test('handles everything, at most `width` things at a time', async () => {
    let running = 0;
    let most = 0;
    const done: number[] = [];
    await inParallel([1, 2, 3, 4, 5, 6, 7], 3, async (n) => {
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
      done.push(n);
    });
    expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(most).toBe(3);
  });

  test('starts nothing after a failure, and waits for running work before it throws', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const work = inParallel([1, 2, 3, 4, 5], 2, async (n) => {
      begun.push(n);
      await turn();
      if (n === 1) throw new Error('first');
      await turn();
      ended.push(n);
    });
    await expect(work).rejects.toThrow('first');
    expect(begun).toEqual([1, 2]);
    expect(ended).toEqual([2]);
  });

  test('returns results in the order of the things', async () => {
    expect(await inParallel([3, 1, 2], 3, (n) => sleep(n, n * 10))).toEqual([30, 10, 20]);
  });

  test('throws the error of the first failed thing in the list', async () => {
    const work = inParallel([1, 2, 3], 3, async (n) => {
      await sleep(n === 2 ? 10 : 0);
      if (n > 1) throw new Error(`thing ${n}`);
    });
    await expect(work).rejects.toThrow('thing 2');
  });

  test('work in parallel of an empty list returns an empty list', async () => {
    await inParallel([], 4, async () => {
      throw new Error('never');
    });
  });
});

describe('tasks at the same time', () => {
  const refusing = async (millis: number, refusal: string): Promise<never> => {
    await sleep(millis);
    throw new Error(refusal);
  };

  test('return all results', async () => {
    expect(await allInOrder([Promise.resolve(1), 'two', sleep(1, 3)])).toEqual([1, 'two', 3]);
  });

  test('throw the first error in the list, not the first in time', async () => {
    await expect(allInOrder([Promise.resolve(1), refusing(10, 'first'), refusing(0, 'second')])).rejects.toThrow(
      'first',
    );
    await expect(allInOrder([refusing(0, 'first'), refusing(10, 'second')])).rejects.toThrow('first');
  });
});
