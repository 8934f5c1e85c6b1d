import { describe, expect, it } from 'vitest';
import { reasonSentence } from '#shared/base/reasons/sentence.ts';
import { bounded, boundedTogether } from '#shared/reasons/rules/bounded-chain.ts';
import { reasonChain } from '#shared/reasons/rules/reason-chain.ts';
import { entry, LINKS, missing, subject, trail } from './seen-records.ts';

describe('the bounds of chains', () => {
  const steps = (fulfilled: number, failures: number) => {
    const place = trail(
      'NON-COMPLIANT',
      ...Array.from({ length: fulfilled }, (_, n) => entry(`e${n}`)),
      ...Array.from({ length: failures }, (_, n) => missing(`m${n}`)),
    );
    return reasonChain(subject({ trails: [place] }), LINKS);
  };

  it('leave out what is fulfilled first, and count what is left out', () => {
    const long = steps(10, 2);
    expect(bounded(long, 24)).toEqual({ steps: long, leftOut: 0 });
    const { steps: kept, leftOut } = bounded(long, 10);
    expect(kept.map(({ compliant }) => compliant)).toEqual([false, false, false, false]);
    expect(leftOut).toBe(20);
    expect(bounded(long, 3)).toMatchObject({ steps: { length: 3 }, leftOut: 21 });
  });

  it('give the steps of an answer to its failures first', () => {
    const [one, two] = boundedTogether([steps(4, 0), steps(0, 2)], (n) => n === 1, 6);
    expect([one?.steps.length, one?.leftOut, two?.steps.length, two?.leftOut]).toEqual([2, 8, 4, 0]);
  });

  it('keep the reason of each failure, also where no step is left', () => {
    const [, late] = boundedTogether([steps(0, 2), steps(3, 1)], () => true, 4);
    expect(late?.steps.map(({ step, name }) => [step, name])).toEqual([
      ['environment', 'prod'],
      ['slot', 'm0'],
    ]);
    expect(late?.leftOut).toBe(7);
    expect(reasonSentence('worker', late?.steps ?? [])).toBe('worker has no m0: release-10 lacks `m0`');
  });
});
