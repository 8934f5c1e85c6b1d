import { describe, expect, it } from 'vitest';
import { type Micros, micros, plus } from '#shared/base/time.ts';
import { placesIn, type SignatureLine, secondsToWait, type Wish } from '#shared/log/rules/signature-line.ts';

const START = micros(1_700_000_000_000_000);
const after = (seconds: number): Micros => plus(START, Math.round(seconds * 1e6));

/** A line that is asked again and again. */
function lineOf(rate: number) {
  let line: SignatureLine | null = null;
  return {
    ask(seconds: number, ...wishes: Wish[]) {
      const asked = placesIn(line, wishes, after(seconds), rate);
      line = asked.line;
      return asked.places;
    },
    waitAt: (seconds: number) => secondsToWait(line, after(seconds)),
  };
}

const next = (count: number): Wish[] => Array.from({ length: count }, () => 'next');

describe('the line for signatures', () => {
  it('lets nobody wait while it is quiet, and signs two seconds of the rate at once', () => {
    const { ask, waitAt } = lineOf(10);
    expect(ask(0, ...next(20)).every((place) => place?.inSeconds === 0)).toBe(true);
    expect(ask(60, ...next(20)).every((place) => place?.inSeconds === 0)).toBe(true);
    expect([waitAt(60), waitAt(62)]).toEqual([1, 0]);
  });

  it('says when each number is called, in the order of the wishes', () => {
    const { ask, waitAt } = lineOf(10);
    ask(0, ...next(20));
    expect(ask(0, ...next(25)).map((place) => place?.inSeconds)).toEqual([
      ...[...Array(10).fill(1), ...Array(10).fill(2), ...Array(5).fill(3)],
    ]);
    expect(waitAt(0)).toBe(3);
    const [late, early] = ask(1, { number: 45 }, { number: 30 });
    expect([late, early]).toEqual([
      { number: 45, inSeconds: 2 },
      { number: 30, inSeconds: 0 },
    ]);
  });

  it('calls at most two seconds of the rate after a pause, however many wait', () => {
    const { ask } = lineOf(10);
    const numbers = ask(0, ...next(520)).map((place) => place?.number ?? 0);
    const called = ask(3_600, ...numbers.map((number) => ({ number }))).filter((place) => place?.inSeconds === 0);
    expect(called).toHaveLength(40);
  });

  it('gives a signature to spare only if no other log has to wait', () => {
    const { ask } = lineOf(10);
    expect(ask(0, 'spare', ...next(19))[0]).toEqual({ number: 20, inSeconds: 0 });
    expect(ask(0, 'spare', 'next')).toEqual([null, { number: 21, inSeconds: 1 }]);
    expect(ask(0.1, 'spare')).toEqual([null]);
    expect(ask(0.3, 'spare')[0]?.inSeconds).toBe(0);
  });

  it('gives a new number for one that a restored line does not know', () => {
    const { ask } = lineOf(10);
    expect(ask(0, { number: 7_000 })).toEqual([{ number: 1, inSeconds: 0 }]);
  });

  it('goes on although the clock of another container is ahead', () => {
    const { ask } = lineOf(10);
    ask(3_600, ...next(25));
    expect(ask(0, { number: 25 })[0]?.inSeconds).toBe(1);
    expect(ask(1, { number: 25 })[0]?.inSeconds).toBe(0);
  });
});

describe('10,000 organizations with 1,000 writes per second', () => {
  it('sign at most 200 checkpoints per second, in order, and wait at most 50 seconds', () => {
    const [organizations, writes, rate, seconds] = [10_000, 1_000, 200, 200];
    const { ask } = lineOf(rate);
    const waiting = new Map<number, { since: number; number: number }>();
    const due = new Map<number, number[]>();
    const signed: number[] = [];
    const waits: number[] = [];
    let last = 0;
    let seed = 1;
    for (let second = 0; second < seconds; second += 1) {
      const back = due.get(second) ?? [];
      const fresh = new Set<number>();
      for (let i = 0; i < writes; i += 1) {
        seed = (seed * 16_807) % 2_147_483_647;
        const org = seed % organizations;
        if (!waiting.has(org)) fresh.add(org);
      }
      const places = ask(
        second,
        ...back.map((org) => ({ number: waiting.get(org)?.number ?? 0 })),
        ...next(fresh.size),
      );
      let count = 0;
      for (const [i, org] of [...back, ...fresh].entries()) {
        const { number = 0, inSeconds = 0 } = places[i] ?? {};
        const { since } = waiting.get(org) ?? { since: second };
        if (inSeconds > 0) {
          waiting.set(org, { since, number });
          due.set(second + inSeconds, [...(due.get(second + inSeconds) ?? []), org]);
          continue;
        }
        expect(number).toBeGreaterThan(last);
        last = number;
        count += 1;
        waits.push(second - since);
        waiting.delete(org);
      }
      signed.push(count);
    }
    expect(Math.max(...signed)).toBeLessThanOrEqual(3 * rate);
    expect(Math.max(...signed.slice(2))).toBeLessThanOrEqual(rate);
    expect(Math.max(...waits)).toBeLessThanOrEqual(organizations / rate);
  });
});
