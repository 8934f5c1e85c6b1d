import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { type ControlDecision, controlAnswer } from '#shared/controls/rules/decisions.ts';
import type { PolicyDecision } from '#shared/policies/rules/decision-schema.ts';
import { artifactVerdict, complianceCount, snapshotVerdict } from '#shared/policies/rules/verdicts.ts';

const decided = (...statuses: PolicyDecision['status'][]): PolicyDecision[] =>
  statuses.map((status, i) => ({ policy_name: `p${i}`, policy_version: 1, status, rule_evaluations: [] }));

describe('the verdict on an artifact', () => {
  test.each([
    ['without policies is unknown', decided(), false, false, null],
    ['without policies is true when allow-listed', decided(), true, false, true],
    ['with compliant decisions is true', decided('COMPLIANT', 'COMPLIANT'), false, true, true],
    ['with one that is not is false', decided('COMPLIANT', 'NON-COMPLIANT'), false, true, false],
    ['with one that is not is true when allow-listed', decided('NON-COMPLIANT'), true, true, true],
  ])('the verdict on an artifact %s', (_, decisions, allowListed, hasPolicies, expected) => {
    expect(artifactVerdict(decisions, allowListed, hasPolicies)).toBe(expected);
  });
});

describe('the verdict on a snapshot', () => {
  test.each([
    ['of compliant artifacts', [true, true], { state: true, compliant: true }],
    ['with one that is not', [true, false], { state: false, compliant: false }],
    ['of an empty environment', [], { state: true, compliant: true }],
    ['with an unknown artifact', [true, null], { state: true, compliant: true }],
  ])('the verdict on a snapshot %s, with policies', (_, running, expected) => {
    expect(snapshotVerdict(running, true)).toEqual(expected);
  });

  test.each([[[]], [[true]], [[null, false]]])(
    'the verdict on a snapshot of %j without policies is unknown, shown as false',
    (running) => {
      expect(snapshotVerdict(running, false)).toEqual({ state: null, compliant: false });
    },
  );
});

test('running artifacts are counted by their verdict', () => {
  expect(complianceCount([true, null, false, true])).toEqual({ true: 2, false: 1, null: 1 });
  expect(complianceCount([])).toEqual({ true: 0, false: 0, null: 0 });
});

describe('the answer to a rule for a control', () => {
  const decision = (more: Partial<ControlDecision>): ControlDecision => ({
    control: 'C-1',
    name: 'sign-off',
    compliant: true,
    at: micros(1_000_000),
    ...more,
  });
  const ask = (decisions: ControlDecision[], name = '*') =>
    controlAnswer(decisions, { control: 'C-1', name })?.compliant;

  test('is missing without a decision for that control under that name', () => {
    expect(ask([])).toBeUndefined();
    expect(ask([decision({ control: 'C-2' })])).toBeUndefined();
    expect(ask([decision({})], 'review')).toBeUndefined();
    expect(ask([decision({})], 'sign-off')).toBe(true);
  });

  test('follows the latest decision, wherever it stands in the list', () => {
    const early = decision({ compliant: true, at: micros(1) });
    const late = decision({ compliant: false, at: micros(2) });
    expect(ask([early, late])).toBe(false);
    expect(ask([late, early])).toBe(false);
    expect(ask([{ ...late, name: 'review' }, early], 'sign-off')).toBe(true);
  });

  test('follows the latest decision that counts; if none counts, it names the latest', () => {
    const refused = { grade: 'stated' } as const;
    const sound = decision({ compliant: false, at: micros(1) });
    const late = decision({ at: micros(3), refused });
    expect(ask([sound, late])).toBe(false);
    const question = { control: 'C-1', name: '*' };
    expect(controlAnswer([decision({ at: micros(2), refused: { grade: 'identified' } }), late], question)).toBe(late);
  });

  test('follows the later decision in the list if two have the same time', () => {
    expect(ask([decision({ compliant: false }), decision({ compliant: true })])).toBe(true);
    expect(ask([decision({ compliant: true }), decision({ compliant: false })])).toBe(false);
  });

  test('ignores decisions for other controls', () => {
    const decisions = fc.array(
      fc.record({
        control: fc.constantFrom('C-1', 'C-2'),
        name: fc.constantFrom('a', 'b'),
        compliant: fc.boolean(),
        at: fc.nat(3).map(micros),
      }),
    );
    fc.assert(
      fc.property(decisions, fc.constantFrom('*', 'a'), (list, name) => {
        expect(ask(list, name)).toBe(
          ask(
            list.filter(({ control }) => control === 'C-1'),
            name,
          ),
        );
      }),
    );
  });
});
