import { describe, expect, it } from 'vitest';
import { micros } from '#shared/base/time.ts';
import type { RuleOutcome } from '#shared/policies/rules/results.ts';
import { type AgedRule, endsOf, followsFrom } from '#verify/freshness/aged-slots.ts';

const DAY = 86_400_000_000;
const day = (n: number) => micros(n * DAY);
const RULE: AgedRule = { name: 'pentest', type: 'generic', mustBeCompliant: true, allowed: 30 * DAY, asksMore: false };
const found = (...matches: [day: number, compliant: boolean][]) => ({
  matches: matches.map(([n, compliant]) => ({ at: day(n), compliant })),
  isCertain: true,
  mayBeRecalled: false,
});
const NOW = day(100);
const SATISFIED: RuleOutcome = { type: 'rule_satisfied' };
const BAD: RuleOutcome = { type: 'non_compliant_attestation' };
const MISSING: RuleOutcome = { type: 'missing_attestation' };
const tooOld = (n: number): RuleOutcome => ({ ...MISSING, attested: day(n) });

describe('an outcome of a rule with max_age', () => {
  it.each<[string, RuleOutcome, ReturnType<typeof found>, boolean]>([
    ['satisfied by a match on its last instant', SATISFIED, found([70, true]), true],
    ['satisfied by a match that is too old', SATISFIED, found([69, true]), false],
    ['satisfied by no match', SATISFIED, found(), false],
    ['satisfied by a young match that is not compliant', SATISFIED, found([90, false], [60, true]), false],
    ['not compliant by a young match', BAD, found([90, false]), true],
    ['not compliant beside a young compliant match', BAD, found([90, false], [91, true]), false],
    ['not compliant by a match that is too old', BAD, found([60, false]), false],
    ['missing without a match', MISSING, found(), true],
    ['missing beside a match that is too old', MISSING, found([60, true]), false],
    ['too old by the newest match', tooOld(60), found([50, true], [60, true]), true],
    ['too old by a match that is not the newest', tooOld(50), found([50, true], [60, true]), false],
    ['too old by a match of another time', tooOld(61), found([60, true]), false],
    ['too old by a match that is young', tooOld(90), found([90, true]), false],
    ['that does not apply', { type: 'rule_not_applicable' }, found(), true],
  ])('%s: follows or not', (_, outcome, matches, follows) => {
    expect(followsFrom(outcome, RULE, matches, NOW)).toBe(follows);
  });

  it('can rest on an older match if the rule asks for more than the verifier computes', () => {
    const matches = { ...found([60, true], [90, true]), isCertain: false };
    const outcomes = [SATISFIED, BAD, MISSING, tooOld(60)];
    expect(outcomes.map((one) => followsFrom(one, RULE, matches, NOW))).toEqual([true, true, true, true]);
    expect(followsFrom(tooOld(61), RULE, matches, NOW)).toBe(false);
    expect(followsFrom(SATISFIED, RULE, { ...found([60, true]), isCertain: false }, NOW)).toBe(false);
  });

  it('is accepted where recalls may have changed the matches, and where no match is signed as asked', () => {
    expect(followsFrom(SATISFIED, RULE, { ...found(), mayBeRecalled: true }, NOW)).toBe(true);
    expect(followsFrom({ ...MISSING, found: { grade: 'stated' } }, RULE, found([90, true]), NOW)).toBe(true);
  });
});

describe('the end of a satisfied rule', () => {
  it('is that of the newest match that satisfies it', () => {
    expect(endsOf(RULE, found([80, true], [70, true], [90, false]))).toEqual([day(110)]);
    expect(endsOf({ ...RULE, mustBeCompliant: false }, found([80, true], [90, false]))).toEqual([day(120)]);
    expect(endsOf(RULE, found())).toEqual([]);
  });

  it('can be that of each match if the rule asks for more', () => {
    expect(endsOf(RULE, { ...found([80, true], [70, true]), isCertain: false })).toEqual([day(110), day(100)]);
  });
});
