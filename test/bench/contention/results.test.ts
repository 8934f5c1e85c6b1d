import { describe, expect, it } from 'vitest';
import type { Done } from '../processes/handler-runner.ts';
import { usualCallsOf, writersResult } from './results.ts';

const done = (change: Partial<Done>): Done => ({
  seconds: 1,
  cpu: 0,
  millis: [],
  statuses: {},
  awsCalls: [],
  ...change,
});

describe('writersResult', () => {
  it('divides the accepted writes of all writers by the time until the last writer was answered', () => {
    const { rate } = writersResult(
      [[done({ statuses: { 201: 10 } }), done({ seconds: 2, statuses: { 201: 6, 503: 2 } })]],
      3,
    );
    expect(rate.median).toBe(8);
  });

  it('gives the shares of requests that were refused and that retried', () => {
    const writers = [
      done({ statuses: { 201: 3, 409: 1 }, awsCalls: [3, 3, 7, 11] }),
      done({ statuses: { 201: 4 }, awsCalls: [3, 3, 3, 3] }),
    ];
    const result = writersResult([writers], 3);
    expect(result).toMatchObject({
      refused: { median: 1 / 8 },
      retried: { median: 2 / 8 },
      statuses: { 201: 7, 409: 1 },
    });
  });

  it('gives the median of the rounds', () => {
    const rounds = [[5], [1], [9]].map((millis) => [done({ millis })]);
    expect(writersResult(rounds, 3).median).toEqual({ median: 5, low: 1, high: 9 });
  });
});

describe('usualCallsOf', () => {
  it('leaves out the few requests that made more calls', () => {
    expect(usualCallsOf([[done({ awsCalls: [...Array<number>(97).fill(3), 5, 5, 5] })]])).toBe(3);
  });
});
