import { describe, expect, test } from 'vitest';
import { fromMillis } from '#shared/base/time.ts';
import type { PolicyOutcome } from '#shared/engines/policy-engine.ts';
import { evaluatePolicy } from '#shared/evaluations/evaluate-policy.ts';

const NOW = fromMillis(Date.UTC(2026, 5, 15, 12));

interface Given {
  input?: unknown;
  params?: unknown;
  files?: Record<string, string>;
}

/** Evaluates the lines of a module of the package `policy`. */
const evaluated = (lines: string, { input = {}, params, files = {} }: Given = {}): PolicyOutcome =>
  evaluatePolicy({
    files: { 'policy.rego': `package policy\n\n${lines}`, ...files },
    params: params === undefined ? null : JSON.stringify(params),
    input: JSON.stringify(input),
    now: NOW,
  });
const verdict = (allow: boolean, violations: string[] = []) => ({ outcome: 'result', result: { allow, violations } });
const failed = (kind: string, message: unknown) => ({ outcome: 'error', kind, message });

describe('a verdict', () => {
  test('is the value of the rule allow for the input', () => {
    const lines = 'default allow := false\nallow if input.trail.compliance_status.is_compliant';
    const input = (is: boolean) => ({ trail: { compliance_status: { is_compliant: is } } });
    expect(evaluated(lines, { input: input(true) })).toEqual(verdict(true));
    expect(evaluated(lines, { input: input(false) })).toEqual(verdict(false));
  });

  test('a verdict of a denial has the violations that are texts, sorted', () => {
    const set = 'violations contains "z"\nviolations contains "a"\nviolations contains 1\nviolations contains "é"';
    expect(evaluated(`allow := false\n${set}`)).toEqual(verdict(false, ['a', 'z', 'é']));
    expect(evaluated('allow := false\nviolations := ["z", "a", null, "a"]')).toEqual(verdict(false, ['a', 'a', 'z']));
    const astral = 'allow := false\nviolations := {"\u{1F600}", "\uFF61"}';
    expect(evaluated(astral)).toEqual(verdict(false, ['\uFF61', '\u{1F600}']));
  });

  test.each([
    ['are not there', ''],
    ['are a text', 'violations := "x"'],
    ['are an object', 'violations := {"a": "b"}'],
    ['are undefined', 'violations := ["x"] if input.nope'],
  ])('has no violations where they %s', (_, lines) => {
    expect(evaluated(`allow := false\n${lines}`)).toEqual(verdict(false));
  });

  test('a verdict of a policy that allows does not evaluate the violations', () => {
    const broken = 'violations := x if { some x in [1, 2] }';
    expect(evaluated(`allow := true\n${broken}`)).toEqual(verdict(true));
    expect(evaluated('allow := true\nviolations contains "x"')).toEqual(verdict(true));
  });

  test('depends on params, which are undefined if the request has none', () => {
    const lines = 'default allow := false\nallow if input.n >= data.params.least\nallow if not data.params';
    expect(evaluated(lines, { input: { n: 2 }, params: { least: 3 } })).toEqual(verdict(false));
    expect(evaluated(lines, { input: { n: 3 }, params: { least: 3 } })).toEqual(verdict(true));
    expect(evaluated(lines, { input: { n: 2 } })).toEqual(verdict(true));
  });

  test('can use modules that import each other, and data files under their folders', () => {
    const files = {
      'lib/checks.rego': 'package lib.checks\n\nimport data.limits\n\nenough(n) if n >= limits.least',
      'limits/data.json': '{"least": 3}',
      'limits/more.yaml': 'most: 5\n',
      'policy_test.rego': 'package policy_test\n\ntest_it if true',
    };
    const lines = 'import data.lib.checks\n\nallow if { checks.enough(input.n); input.n <= data.limits.most }';
    expect(evaluated(lines, { files, input: { n: 4 } })).toEqual(verdict(true));
    expect(
      evaluated(`default allow := false\n${lines.split('\n').at(-1)}`.replace('checks.', 'data.lib.checks.'), {
        files,
        input: { n: 6 },
      }),
    ).toEqual(verdict(false));
  });

  test('sees numbers with all their digits, and only the time of the request', () => {
    const question = {
      files: {
        'policy.rego': 'package policy\n\nallow if input.n == 12345678901234567891\nviolations contains "other"',
      },
      params: null,
      input: '{"n": 12345678901234567891}',
      now: NOW,
    };
    expect(evaluatePolicy(question)).toEqual(verdict(true));
    expect(evaluated(`allow if time.now_ns() == ${BigInt(NOW) * 1000n}`)).toEqual(verdict(true));
  });
});

describe('a policy is invalid', () => {
  test.each([
    ['that does not parse', 'allow if {', /^policy\.rego:3:\d+: /],
    ['with an unsafe variable', 'allow := true\ny := z', /^policy\.rego:4:\d+: .*z/],
    ['that calls what nobody knows', 'allow if nobody.knows(1)', /^policy\.rego:3:\d+: .*nobody\.knows/],
    ['that calls the network', 'allow if http.send({"method": "get", "url": "http://127.0.0.1"})', /http\.send/],
    ['that asks for its environment', 'allow if opa.runtime().env.HOME', /opa\.runtime/],
    ['without the rule allow', 'deny := true', "The package 'policy' has no rule 'allow'"],
    ['whose rule allow is a function', 'allow(x) := true', /allow/],
    ['that needs itself', 'f(x) := f(x + 1)\nallow if f(1)', /^policy\.rego:3:1: .*recursive/],
  ])('a policy %s is invalid', (_, lines, message) => {
    const expected = typeof message === 'string' ? message : expect.stringMatching(message);
    expect(evaluated(lines)).toEqual(failed('policy_invalid', expected));
  });

  const SOUND = 'package policy\n\nallow := true';
  test.each([
    ['of another package', { 'a.rego': 'package other\nallow := true' }, /^No module has .*: there is other$/],
    ['of a package below', { 'a.rego': 'package policy.sub\nallow := true' }, /there is policy\.sub$/],
    ['without modules', { 'data.json': '{}' }, /^No module has the package 'policy'$/],
    ['with data for params', { 'a.rego': SOUND, 'params/data.json': '{}' }, /data\.params$/],
    ['with data for itself', { 'a.rego': SOUND, 'data.json': '{"policy": {"allow": true}}' }, /data\.policy$/],
    ['with data that is not JSON', { 'a.rego': SOUND, 'data.json': '{' }, /^data\.json: /],
    ['with params that rules define', { 'a.rego': SOUND, 'b.rego': 'package params\na := 1' }, /params/],
  ])('a policy %s is invalid', (_, files, message) => {
    const outcome = evaluatePolicy({
      files: files as Record<string, string>,
      params: '{"a": 2}',
      input: '{}',
      now: NOW,
    });
    expect(outcome).toEqual(failed('policy_invalid', expect.stringMatching(message)));
  });
});

describe('a policy is at fault', () => {
  test.each([
    ['whose rule allow is undefined', 'allow if input.nope', "The rule 'allow' is undefined for this input"],
    ['whose rule allow is a text', 'allow := "yes"', "The rule 'allow' has to be true or false, and is a string"],
    ['whose rule allow is a number', 'allow := 1', "The rule 'allow' has to be true or false, and is a number"],
    ['whose rule allow is null', 'allow := null', "The rule 'allow' has to be true or false, and is null"],
    ['whose rule allow is a set', 'allow contains 1', /a set or an array$/],
    ['whose rule allow is an object', 'allow.x := true', /an object$/],
    ['that says two things', 'allow := x if some x in [true, false]', /^policy\.rego:3:\d+: /],
    ['whose violations say two things', 'allow := false\nviolations := x if some x in [1, 2]', /^policy\.rego:4:\d+: /],
  ])('%s', (_, lines, message) => {
    const expected = typeof message === 'string' ? message : expect.stringMatching(message);
    expect(evaluated(lines)).toEqual(failed('policy_error', expected));
  });
});

describe('a policy exceeds a budget', () => {
  const range = 'numbers.range(1, 1000)';
  test.each([
    ['of steps', `n := ${range}\nallow if { some a in n; some b in n; some c in n; a * b * c == 0 }`],
    ['of collections', `allow if count([1 | some a in ${range}; some b in ${range}; some c in ${range}]) > 0`],
    [
      'of strings',
      `a := concat("", [s | some i in ${range}; s := sprintf("%1000d", [i])])\nb := concat("", [a | some i in ${range}])\nallow if count(b) > 0`,
    ],
    ['of violations', `allow := false\nviolations contains sprintf("%1000d", [i]) if some i in numbers.range(1, 2000)`],
    ['of source', `allow := true\nx := [${'1,'.repeat(1_200_000)}1]`],
  ])(
    'a policy exceeds the budget %s',
    (_, lines) => {
      expect(evaluated(lines)).toEqual(failed('policy_timeout', expect.stringMatching(/budget|more than/)));
    },
    60_000,
  );

  test('and long messages are cut', () => {
    const outcome = evaluated(`allow if nobody.${'x'.repeat(5000)}(1)`);
    expect(outcome).toMatchObject({ kind: 'policy_invalid' });
    expect('message' in outcome && outcome.message.length).toBeLessThan(600);
  });
});
