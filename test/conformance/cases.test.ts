import { describe, expect, test } from 'vitest';
import { parseJson } from '#shared/rego/index.ts';
import { casesOf } from './cases.ts';
import { runCase } from './run-case.ts';

/** Runs one case as if it were the only one of a file in a folder. */
function outcome(fields: Readonly<Record<string, unknown>>, { folder = 'cases', givesValues = false } = {}) {
  const record = {
    file: `${folder}/file.yaml`,
    fields: parseJson(JSON.stringify(fields)),
    folders: [folder],
    givesValues,
  };
  const [one] = casesOf([record]);
  if (one === undefined) throw new Error('the case is skipped');
  return runCase(one);
}

const status = (...args: Parameters<typeof outcome>) => outcome(...args).status;

const MARKET = 'package market\n\nstalls := ["bread", "fish"]\n\nopen contains s if some s in stalls';

describe('bindings', () => {
  test.each<[string, Record<string, unknown>, string]>([
    [
      'in any order',
      {
        want_result: [
          { i: 1, s: 'fish' },
          { i: 0, s: 'bread' },
        ],
      },
      'passed',
    ],
    ['that are missing', { want_result: [{ i: 0, s: 'bread' }] }, 'failed'],
    [
      'of another name',
      {
        want_result: [
          { j: 0, s: 'bread' },
          { j: 1, s: 'fish' },
        ],
      },
      'failed',
    ],
    ['that are not wanted at all', { want_result: [] }, 'failed'],
    ['where an error is wanted', { want_error_code: 'eval_conflict_error' }, 'failed'],
  ])('a case with bindings %s', (_what, want, expected) => {
    expect(status({ query: 'data.market.stalls[i] = s', modules: [MARKET], ...want })).toBe(expected);
  });

  test('hold sets as sorted arrays', () => {
    expect(status({ query: 'data.market.open = x', modules: [MARKET], want_result: [{ x: ['bread', 'fish'] }] })).toBe(
      'passed',
    );
  });

  test('are compared without the order of arrays only where the case says so', () => {
    const fields = { query: 'data.market.stalls = x', modules: [MARKET], want_result: [{ x: ['fish', 'bread'] }] };
    expect(status(fields)).toBe('failed');
    expect(status({ ...fields, sort_bindings: true })).toBe('passed');
  });

  test('bindings of a query without variables are empty', () => {
    const fields = { query: 'data.market.stalls', modules: [MARKET] };
    expect(status({ ...fields, want_result: [{}] })).toBe('passed');
    expect(status({ ...fields, want_result: [] })).toBe('failed');
    expect(status({ ...fields, query: 'data.market.none', want_result: [] })).toBe('passed');
  });
});

describe('values, in files that give them', () => {
  test.each<[string, unknown, string]>([
    ['data.market.stalls', ['bread', 'fish'], 'passed'],
    ['data.market.stalls', [], 'failed'],
    ['data.market.none', [], 'failed'],
    ['x := 1; y := "b"', { x: 1, y: 'b' }, 'passed'],
  ])('%s = %j', (query, want_result, expected) => {
    expect(status({ query, modules: [MARKET], want_result }, { givesValues: true })).toBe(expected);
  });

  test('may be wanted to be undefined', () => {
    expect(status({ query: 'data.market.none', no_result: true }, { givesValues: true })).toBe('passed');
    expect(status({ query: 'data.market.stalls', modules: [MARKET], no_result: true }, { givesValues: true })).toBe(
      'failed',
    );
  });
});

describe('errors', () => {
  const CONFLICT = 'package market\n\nday := 1\n\nday := 2';
  const UNSAFE = 'package market\n\nday if x > 1';
  const BROKEN = 'package market\n\nday := [';

  test.each<[string, string, Record<string, unknown>, string]>([
    ['of an evaluation', CONFLICT, { want_error_code: 'eval_conflict_error' }, 'passed'],
    ['of an evaluation by the text alone', CONFLICT, { want_error: 'eval_conflict_error: two values' }, 'passed'],
    ['of an evaluation where a refusal is wanted', CONFLICT, { want_error_code: 'rego_type_error' }, 'failed'],
    ['of the compiler', UNSAFE, { want_error_code: 'rego_unsafe_var_error' }, 'passed'],
    ['of the compiler where an evaluation is to fail', UNSAFE, { want_error_code: 'eval_type_error' }, 'failed'],
    ['of the parser', BROKEN, { want_error_code: 'rego_parse_error' }, 'passed'],
    ['with a text in the words of another engine', BROKEN, { want_error: 'expected something else' }, 'passed'],
    ['where a result is wanted', BROKEN, { want_result: [{ x: 1 }] }, 'failed'],
  ])('a case with an error %s', (_what, module, want, expected) => {
    expect(status({ query: 'data.market.day = x', modules: [module], ...want })).toBe(expected);
  });

  test('errors of built-in functions show in strict mode only', () => {
    const fields = { query: 'data.market.p = x', modules: ['package market\n\np := 1 / 0'] };
    expect(status({ ...fields, want_result: [] })).toBe('passed');
    expect(status({ ...fields, want_error_code: 'eval_builtin_error' })).toBe('failed');
    expect(status({ ...fields, strict_error: true, want_error_code: 'eval_builtin_error' })).toBe('passed');
  });

  test('errors of a limit fit no wanted error', () => {
    const module = 'package market\n\np if { n := numbers.range(1, 6000); n[_] + n[_] < 0 }';
    expect(outcome({ query: 'data.market.p', modules: [module], want_error: 'too long' })).toMatchObject({
      status: 'failed',
      got: expect.stringContaining('error of kind budget: steps budget'),
    });
  });
});

describe('unsupported features', () => {
  const call = (expression: string) => ({ query: 'data.m.p = x', modules: [`package m\n\np := ${expression}`] });

  test.each([
    ['http.send({})', 'function http.send'],
    ['sprintf("%.3x", [0.5])', '%x with a precision is not supported for fractions'],
  ])('%s is named', (expression, feature) => {
    expect(outcome({ ...call(expression), want_result: [{ x: 1 }] })).toEqual({ status: 'unsupported', feature });
  });

  test('do not pass for a wanted error that is about something else', () => {
    const fields = call('http.send({"url": 1})');
    expect(status({ ...fields, want_error_code: 'rego_type_error', want_error: 'url must be a string' })).toBe(
      'unsupported',
    );
    expect(status({ ...fields, want_error_code: 'eval_builtin_error' })).toBe('unsupported');
  });

  test('are no question where an undefined function is the wanted error', () => {
    const want = { want_error_code: 'rego_type_error', want_error: 'undefined function barter' };
    expect(status({ ...call('barter(1)'), ...want })).toBe('passed');
  });
});

describe('input and language', () => {
  test('the input may be a Rego term', () => {
    const module = 'package m\n\np := [is_set(input.s), input[1]]';
    const input_term = '{"s": {"a"}, 1: "one"}';
    expect(status({ query: 'data.m.p = x', modules: [module], input_term, want_result: [{ x: [true, 'one'] }] })).toBe(
      'passed',
    );
  });

  test('a broken input term is an error', () => {
    expect(status({ query: 'input = x', input_term: '{', want_error_code: 'rego_parse_error' })).toBe('passed');
  });

  const OLD = { query: 'data.m.p = x', modules: ['package m\n\np = 5 { true }'] };

  test('modules of v0 are read as such unless a folder states v1', () => {
    expect(status({ ...OLD, want_result: [{ x: 5 }] })).toBe('passed');
    expect(status({ ...OLD, want_result: [{ x: 5 }] }, { folder: 'v0' })).toBe('passed');
    expect(status({ ...OLD, want_error_code: 'rego_parse_error' }, { folder: 'v1' })).toBe('passed');
  });

  test('modules that v1 refuses as wanted are not read as v0', () => {
    expect(status({ ...OLD, want_error_code: 'rego_parse_error' })).toBe('passed');
  });

  test('a crash of the engine is a difference and ends nothing', () => {
    const modules = ['package m\n\np := 1'];
    const fields = parseJson(
      JSON.stringify({ note: 'crash', query: 'data.m.p = x', modules, want_result: [{ x: 1 }] }),
    );
    const [one] = casesOf([{ file: 'f.yaml', fields, folders: [], givesValues: false }]);
    if (one === undefined || 'problem' in one) throw new Error('the case can be run');
    const broken = Object.defineProperty({ ...one }, 'data', { get: () => undefined });
    expect(runCase(broken)).toMatchObject({ status: 'failed', got: expect.stringContaining('the engine crashed: ') });
  });
});
