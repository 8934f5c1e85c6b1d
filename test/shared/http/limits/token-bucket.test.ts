import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromSeconds, plus } from '#shared/base/time.ts';
import { TokenBucket } from '#shared/http/limits/token-bucket.ts';

const LIMIT = { rate: 10, burst: 50 };
const NOW = fromSeconds(1_800_000_000);
const later = (seconds: number) => plus(NOW, seconds * 1e6);

describe('a token bucket', () => {
  it('begins full, and time brings tokens back up to the burst', () => {
    const bucket = new TokenBucket(LIMIT, NOW);
    bucket.take(50, LIMIT);
    expect([0, 1, 2.5, 100].map((seconds) => bucket.tokens(LIMIT, later(seconds)))).toEqual([0, 10, 25, 50]);
  });

  it('has a debt of its burst at most, and pays it with time', () => {
    const bucket = new TokenBucket(LIMIT, NOW);
    bucket.take(5_000, LIMIT);
    expect(bucket.tokens(LIMIT, NOW)).toBe(-50);
    expect(bucket.tokens(LIMIT, later(6))).toBe(10);
  });

  it('gets no tokens from a clock that goes back, and no more than the burst from one that jumps ahead', () => {
    const bucket = new TokenBucket(LIMIT, NOW);
    bucket.take(50, LIMIT);
    expect(bucket.tokens(LIMIT, later(-3_600))).toBe(0);
    expect(bucket.tokens(LIMIT, later(-3_599))).toBe(10);
    expect(bucket.tokens(LIMIT, later(1e9))).toBe(50);
  });

  it('keeps to a limit that changes', () => {
    const bucket = new TokenBucket(LIMIT, NOW);
    expect(bucket.tokens({ rate: 1, burst: 5 }, NOW)).toBe(5);
    expect(bucket.tokens({ rate: 1_000, burst: 5_000 }, later(1))).toBe(1_005);
  });

  it('never admits more than the burst and what time brought', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0, max: 3, noNaN: true }), fc.nat(40)), { maxLength: 60 }),
        (steps) => {
          const bucket = new TokenBucket(LIMIT, NOW);
          let [at, admitted] = [0, 0];
          for (const [seconds, wanted] of steps) {
            at += seconds;
            for (let i = 0; i < wanted; i += 1) {
              if (bucket.tokens(LIMIT, later(at)) < 1) break;
              bucket.take(1, LIMIT);
              admitted += 1;
            }
          }
          expect(admitted).toBeLessThanOrEqual(LIMIT.burst + LIMIT.rate * at + 1e-3);
        },
      ),
    );
  });
});
