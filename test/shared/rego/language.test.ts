import { describe, expect, test } from 'vitest';
import { compileModules, evaluate, parseModules } from '#shared/rego/index.ts';
import { compile, failure, value } from './engine.ts';

describe('rules', () => {
  test.each([
    ['a complete rule', 'p := 1 + 2', '3'],
    ['a default', 'default p := "none"\np := "some" if input.x', '"none"'],
    ['else', 'p := 1 if input.x == 1\nelse := 2 if input.x == 2\nelse := 3', '3'],
    ['a set', 'p contains x if some x in [3, 1, 3]', '[1,3]'],
    ['an object', 'p[k] := v if some k, v in {"a": 1, "b": 2}', '{"a":1,"b":2}'],
    ['an object of sets', 'p[k] contains v if { some k in ["x", "y"]; some v in [2, 1] }', '{"x":[1,2],"y":[1,2]}'],
    ['a path', 'p.q.r := 1\np.q.s := 2', '{"q":{"r":1,"s":2}}'],
    ['a function', 'f(x, [y, _]) := x + y\np := f(1, [2, 3])', '3'],
    ['a function with constant arguments', 'f("a") := 1\nf("b") := 2\np := [f("b"), f("a")]', '[2,1]'],
    ['a function with a default', 'default f(_) := 0\nf(x) := x if x > 5\np := [f(9), f(1)]', '[9,0]'],
  ])('can be %s', (_what, rules, expected) => {
    expect(value(rules)).toBe(expected);
  });

  test('are undefined when no body holds', () => {
    expect(value('p := 1 if input.x')).toBe('undefined');
  });

  test.each([
    ['a complete rule with two values', 'p := 1 if true\np := x if { x := 2 }'],
    ['a function with two results', 'f(x) := x\nf(x) := [x]\np := f(1)'],
    ['an object with two values for a key', 'p["k"] := x if some x in [1, 2]'],
    ['a comprehension with two values for a key', 'p := {"k": x | some x in [1, 2]}'],
  ])('end the evaluation with an error: %s', (_what, rules) => {
    expect(failure(() => value(rules)).kind).toBe('eval');
  });
});

describe('bodies', () => {
  test.each([
    ['walk with variables', 'p := [[i, j] | input.m[i][j] == 1]', '[[0,1],[1,0]]'],
    ['bind variables on both sides', 'p := [x, y] if [x, {"k": 2}] = [1, {"k": y}]', '[1,2]'],
    ['run in the order of need', 'p := x if { y > 1; x = y + 1; y = 2 }', '3'],
    ['negate', 'p := "no" if not input.missing', '"no"'],
    ['check every element', 'p if every i, x in [0, 1] { x == i }', 'true'],
    ['test membership', 'p if { 1 in {1, 2}; "k", "v" in {"k": "v"}; not 3 in [1, 2] }', 'true'],
    ['replace input', 'q := input.m\np := x if x := q with input.m as 5', '5'],
    [
      'replace functions for their own expression only',
      'f(x) := x\np := [f(1), count([])] if true with f as 7 with count as 8',
      '[1,0]',
    ],
    [
      'replace functions in the calls of their expression',
      'f(x) := x\np := x if x := [f(1), count([])] with f as 7 with count as 8',
      '[7,8]',
    ],
    ['hide rules by variables', 'x := 1\np := x if x := 2', '2'],
    [
      'nest comprehensions',
      'p := {k: [v | some v in vs; v > 1] | some k, vs in {"a": [1, 2], "b": [3]}}',
      '{"a":[2],"b":[3]}',
    ],
  ])('%s', (_what, rules, expected) => {
    expect(
      value(rules, {
        input: {
          m: [
            [0, 1],
            [1, 0],
          ],
        },
      }),
    ).toBe(expected);
  });
});

describe('modules', () => {
  test('import each other, and read data beside rules', () => {
    const files = [
      { path: 'lib.rego', text: 'package lib.math\n\ndouble(x) := 2 * x\n\nlimits.low := data.params.low' },
      { path: 'policy.rego', text: 'package policy\n\nimport data.lib.math as m\n\np := m.double(m.limits.low)' },
    ];
    const compiled = compileModules(parseModules(files));
    const given = { data: { params: { low: 21 } }, now: 0n };
    expect(evaluate(compiled, { query: 'data.policy.p', ...given }).value).toBe(42);
    expect(evaluate(compiled, { query: 'data.lib', ...given }).value).toEqual({ math: { limits: { low: 21 } } });
    expect(failure(() => evaluate(compiled, { query: 'data.policy.p', data: { lib: 1 }, now: 0n })).kind).toBe(
      'compile',
    );
  });

  test('can be walked by name', () => {
    const files = ['a', 'b'].map((name) => ({
      path: `${name}.rego`,
      text: `package checks.${name}\n\nok := "${name}"`,
    }));
    const last = {
      path: 'policy.rego',
      text: 'package policy\n\np := [data.checks[n].ok | some n in ["b", "a", "z"]]',
    };
    const compiled = compileModules(parseModules([...files, last]));
    expect(evaluate(compiled, { query: 'data.policy.p', now: 0n }).value).toEqual(['b', 'a']);
  });
});

describe('a mistake is reported', () => {
  test.each([
    ['parse', 'p := [1', 'unexpected end of source'],
    ['parse', 'p { true }', '`if` keyword is required before rule body'],
    ['parse', 'p := "a', 'non-terminated string'],
    ['parse', 'p := $"{1"', 'non-terminated string'],
    ['parse', 'p := $"{x := 1}"', 'a part of a template must be a term'],
    ['compile', 'p := $"{input.a[i]}"', 'var i is unsafe'],
    ['compile', 'p := missing(1, x)', 'undefined or unsupported function missing'],
    ['compile', 'p if x > 1', 'var x is unsafe'],
    ['compile', 'p if { x := 1; x := 2 }', 'var x assigned above'],
    ['compile', 'p if { y == x; x := 1; y := 1 }', 'var x referenced above'],
    ['compile', 'p := http.send({})', 'undefined or unsupported function http.send'],
    ['compile', 'p := count([], 2, 3)', 'function count has arity 1, got 3 arguments'],
    ['compile', 'p := q\nq := p', 'is recursive'],
    ['compile', 'p if { x := 1; x == "1" }', 'match error: number and string'],
    ['compile', 'p := startswith(1, "a")', 'startswith: invalid argument(s)'],
    ['parse', 'p := "abc"[0]', 'a constant has no elements'],
    ['compile', 'p if { x := 5; some y in x }', 'undefined ref'],
    ['compile', 'p contains 1\np := 2', 'conflicting rules data.test.p found'],
    ['compile', 'p := 1\np.q := 2', 'conflicts with'],
  ] as const)('%s: %s', (kind, rules, message) => {
    const found = failure(() => compile(rules));
    expect(found.kind).toBe(kind);
    expect(found.message).toContain(message);
  });

  test('a mistake is reported with path, line and column', () => {
    expect(failure(() => compile('p := 1\nq := ]')).message).toMatch(/^test\.rego:6:6: /);
  });
});
