import { describe, expect, test } from 'vitest';
import { explanationSentence, ruleName } from '#console/evaluation/model/explanation.ts';

const rule = (fields: object) => ({
  rule: 'data.policy.allow',
  file: 'policy.rego',
  line: 3,
  is_default: false,
  runs: 1,
  solutions: 0,
  value: null,
  values: [],
  stopped: null,
  ...fields,
});
const byDefault = rule({ line: 2, is_default: true, solutions: 1, value: 'false' });
const stopped = {
  line: 5,
  source: 'count(violations) == 0',
  times: 1,
  values: [
    { term: 'count(data.policy.violations)', value: '1' },
    { term: 'input.x', value: null },
  ],
};

describe('the explanation of an evaluation', () => {
  test.each([
    [
      'an expression that did not hold',
      [rule({ stopped }), byDefault],
      'The rule allow does not hold. Line 5 of policy.rego stopped it: «count(violations) == 0», where count(data.policy.violations) is 1 and input.x is undefined.',
    ],
    [
      'a rule that has a value',
      [rule({ solutions: 1, value: 'false', values: [{ term: 'input.n', value: '2' }] })],
      'The rule allow in line 3 of policy.rego is false, where input.n is 2.',
    ],
    ['the default value alone', [byDefault], 'Only the default value of the rule allow applies.'],
  ])('names %s', (_, rules, sentence) => {
    expect(explanationSentence({ rules, identical: true })).toBe(sentence);
  });

  test('says if the second run came to another outcome', () => {
    const sentence = explanationSentence({ rules: [byDefault], identical: false });
    expect(sentence).toMatch(/This run came to another outcome than the stored one\.$/);
  });

  test('names rules as their author wrote them', () => {
    expect(ruleName({ rule: 'data.policy.allow', is_default: true })).toBe('default allow');
    expect(ruleName({ rule: 'data.helpers.big', is_default: false })).toBe('helpers.big');
  });
});
