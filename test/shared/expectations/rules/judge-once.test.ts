import { describe, expect, it } from 'vitest';
import { MINUTE } from '#shared/base/texts/durations.ts';
import { micros } from '#shared/base/time.ts';
import { decidedAt, judgeOnce } from '#shared/expectations/rules/judge-once.ts';

const at = (minutes: number) => micros(minutes * MINUTE);
const terms = { every: 20 * MINUTE, grace: 5 * MINUTE };

describe('what has to come once', () => {
  it('is late after the interval, and missed after the grace, both exactly', () => {
    const states = [at(120), micros(at(120) + 1), at(125), micros(at(125) + 1)].map(
      (now) => judgeOnce(terms, { begun: at(100), met: null }, now).state,
    );
    expect(states).toEqual(['met', 'late', 'late', 'missed']);
    expect(judgeOnce(terms, { begun: at(100), met: null }, at(0)).due).toBe(at(125));
  });

  it('is due no more once it came, however late', () => {
    expect(judgeOnce(terms, { begun: at(100), met: at(900) }, at(1_000))).toEqual({ state: 'met', due: null });
  });
});

describe('a decision about an artifact', () => {
  const decision = (minutes: number, compliant: boolean) => ({ at: at(minutes), compliant });

  it.each([
    ['none', [], null],
    ['a compliant one before the start', [decision(1, true)], at(10)],
    ['a compliant one at the start', [decision(10, true)], at(10)],
    ['one that another replaced before the start', [decision(1, true), decision(2, false)], null],
    ['the first compliant one after the start', [decision(1, false), decision(12, true), decision(13, true)], at(12)],
    ['one that another replaced after it had met', [decision(12, true), decision(13, false)], at(12)],
  ])('counts from the start on: %s', (_, decisions, met) => {
    expect(decidedAt(decisions, at(10))).toBe(met);
  });
});
