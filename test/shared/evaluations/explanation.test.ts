import { describe, expect, test } from 'vitest';
import { micros } from '#shared/base/time.ts';
import type { Explanation } from '#shared/engines/policy-engine.ts';
import { evaluatePolicy } from '#shared/evaluations/evaluate-policy.ts';

function explained(lines: readonly string[], input: unknown = {}): Explanation {
  const text = ['package policy', ...lines].join('\n');
  const files = { 'policy.rego': text };
  const { explanation } = evaluatePolicy({
    files,
    params: null,
    input: JSON.stringify(input),
    now: micros(0),
    explain: true,
  });
  if (!explanation) throw new Error('The outcome has no explanation');
  return explanation;
}

const rule = (fields: object) => ({
  rule: 'data.policy.allow',
  file: 'policy.rego',
  is_default: false,
  runs: 1,
  solutions: 0,
  value: null,
  values: [],
  stopped: null,
  ...fields,
});

describe('an explanation', () => {
  test('names the furthest expression that did not hold, with its values', () => {
    const lines = ['default allow := false', 'allow if {', '  input.a > 1', '  count(input.list) == 2', '}'];
    expect(explained(lines, { a: 2, list: [1] })).toEqual({
      rules: [
        rule({
          line: 3,
          stopped: {
            line: 5,
            source: 'count(input.list) == 2',
            times: 1,
            values: [{ term: 'count(input.list)', value: '1' }],
          },
        }),
        rule({ line: 2, is_default: true, solutions: 1, value: 'false' }),
      ],
      truncated: false,
    });
  });

  test.each<[string, string[], unknown, object]>([
    [
      'an undefined reference',
      ['allow := true if input.x.y == 1', 'default allow := false'],
      {},
      { values: [{ term: 'input.x.y', value: null }] },
    ],
    [
      'a negated expression',
      ['default allow := false', 'allow if not input.bad'],
      { bad: true },
      { values: [{ term: 'input.bad', value: 'true' }] },
    ],
    [
      'each element of a collection',
      ['default allow := false', 'allow if {', '  some a in input.all', '  a.ok', '}'],
      { all: [{ ok: false }, { ok: false, n: 2 }, {}] },
      { line: 5, times: 3, values: [{ term: 'a.ok', value: 'false' }] },
    ],
    [
      'a reference that walks, up to its first unknown step',
      ['default allow := false', 'allow if input.all[_].ok == true'],
      { all: [{ ok: false }] },
      { values: [{ term: 'input.all', value: '[{"ok":false}]' }] },
    ],
  ])('shows %s', (_, lines, input, stopped) => {
    const { rules } = explained(lines, input);
    expect(rules.find(({ is_default }) => !is_default)?.stopped).toMatchObject(stopped);
  });

  test('describes functions, else branches and members of sets', () => {
    const lines = [
      'default allow := false',
      'allow if big(input.n)',
      'else := false if input.n == 1',
      'big(n) if n > 5',
      'violations contains "small" if input.n < 5',
    ];
    const { rules } = explained(lines, { n: 1 });
    expect(rules.map(({ rule, line, solutions, value }) => [rule, line, solutions, value])).toEqual([
      ['data.policy.allow', 3, 0, null],
      ['data.policy.big', 5, 0, null],
      ['data.policy.allow', 4, 1, 'false'],
      ['data.policy.violations', 6, 1, '"small"'],
    ]);
  });

  test('shows what a value was computed from', () => {
    const { rules } = explained(['allow := count(violations) == 0', 'violations contains "bad" if input.bad'], {
      bad: 1,
    });
    expect(rules.find(({ line }) => line === 2)).toMatchObject({
      value: 'false',
      values: [{ term: 'count(data.policy.violations)', value: '1' }],
    });
  });

  test('is there for errors of the policy, and not for policies that do not compile', () => {
    expect(explained(['allow if input.x']).rules).toMatchObject([{ line: 2, stopped: { values: [{ value: null }] } }]);
    const files = { 'policy.rego': 'package policy\nallow := {' };
    const broken = evaluatePolicy({ files, params: null, input: '{}', now: micros(0), explain: true });
    expect(broken).toMatchObject({ outcome: 'error', kind: 'policy_invalid' });
    expect(broken.explanation).toBe(undefined);
  });

  test('is bounded: long values, large collections and many rules are cut', () => {
    const long = 'x'.repeat(100_000);
    const many = Array.from({ length: 5_000 }, (_, n) => n);
    const lines = ['default allow := false', 'allow if input.text == input.many'];
    const [first] = explained(lines, { text: long, many }).rules;
    const [text, array] = first?.stopped?.values ?? [];
    expect(text?.value).toBe(`"${'x'.repeat(499)}…`);
    expect(array?.value).toBe('an array of 5000 elements');
    const rules = Array.from({ length: 300 }, (_, n) => `allow if input.n == ${n}`);
    const cut = explained(['default allow := false', ...rules], { n: -1 });
    expect(cut).toMatchObject({ truncated: true });
    expect(cut.rules).toHaveLength(200);
  });

  test('leaves the outcome as it is', () => {
    const lines = ['package policy', 'default allow := false', 'violations contains v if some v in input.v'];
    const run = { files: { 'p.rego': lines.join('\n') }, params: null, input: '{"v":["b","a"]}', now: micros(0) };
    const { explanation: _, ...outcome } = evaluatePolicy({ ...run, explain: true });
    expect(evaluatePolicy(run)).toEqual(outcome);
  });
});
