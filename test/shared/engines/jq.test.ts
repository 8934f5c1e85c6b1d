import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { childEngines } from '#shared/engines/child-engines.ts';
import { MAX_OUTPUT_LENGTH, MAX_PROGRAM_LENGTH, MAX_PROGRAMS } from '#shared/engines/limits.ts';

const engines = childEngines({ timeoutMillis: 10_000 });
afterAll(() => engines.close());

const outputs = (...values: unknown[]) => ({ ok: true, outputs: values });
const failed = (error: string) => ({ ok: false, error });

describe('checkJq', () => {
  test('accepts programs that compile, even if they fail on some data', async () => {
    const programs = [
      '.a == 1',
      '.name | startswith("x")',
      'map(select(.ok)) | length > 0',
      'def f: . + 1; f > 2',
      '.a as $x | $x',
      'reduce .[] as $i (0; . + $i) == 3',
      'true # at last',
      'error("never")',
      'def f: f; f',
    ];
    expect(await engines.checkJq(programs)).toEqual(programs.map(() => null));
  });

  test.each([
    ['', /unexpected end of file at line 1$/],
    ['# only a comment', /unexpected end of file/],
    ['.a ]', /syntax error/],
    ['.a |\n(', /at line 2$/],
    ['foo', /^foo\/0 is not defined at line 1$/],
    ['$x', /^\$x is not defined/],
    ['break $x', /not defined/],
    ['1) , (2', /syntax error/],
    ['1]} catch 0), (try {outputs: [true', /syntax error/],
    ['"\\(1', /syntax error/],
    ['"open', /syntax error/],
    ['def f: 1;', /syntax error/],
    ['| true', /syntax error/],
    ['import "a" as a; .', /syntax error/],
    ['include "a"; .', /syntax error/],
    ['$__prog_args', /not defined/],
    ['true\0)', /U\+0000/],
    ['\0', /U\+0000/],
  ])('refuses %j', async (program, message) => {
    expect(await engines.checkJq([program])).toEqual([expect.stringMatching(message)]);
  });

  test('returns a message of its own for each program', async () => {
    const results = await engines.checkJq(['true', '.a ]', 'true', 'x'.repeat(MAX_PROGRAM_LENGTH + 1), 'foo']);
    expect(results.map((result) => result === null)).toEqual([true, false, true, false, false]);
    expect(results[3]).toBe(`longer than ${MAX_PROGRAM_LENGTH} characters`);
  });

  test('accepts 100 programs of the maximal length, and refuses the 101st', async () => {
    const programs = Array<string>(MAX_PROGRAMS).fill('true'.padEnd(MAX_PROGRAM_LENGTH));
    expect(await engines.checkJq(programs)).toEqual(programs.map(() => null));
    expect(await engines.runJq(programs, '1')).toEqual(programs.map(() => outputs(true)));
    const results = await engines.checkJq([...programs, 'true']);
    expect(results.at(-1)).toBe('more than 100 rules');
    expect(results.slice(0, -1)).toEqual(programs.map(() => null));
  });

  test('returns an empty list for an empty list', async () => {
    expect(await engines.checkJq([])).toEqual([]);
    expect(await engines.runJq([], '1')).toEqual([]);
  });
});

describe('runJq', () => {
  test('returns every output of every program', async () => {
    const programs = ['.a', '.a == 1', 'empty', 'true, false', '.b', '[.a, "x"]'];
    expect(await engines.runJq(programs, '{"a": 1}')).toEqual([
      outputs(1),
      outputs(true),
      outputs(),
      outputs(true, false),
      outputs(null),
      outputs([1, 'x']),
    ]);
  });

  test('reports the error of one program without affecting the others', async () => {
    const programs = ['error("mine")', 'true', '.a.b', 'error({a: 1})', 'error(null)', 'error({__jq: 0})', 'true'];
    const results = await engines.runJq(programs, '{"a": 1}');
    expect(results.map((result) => result.ok)).toEqual([false, true, false, false, false, false, true]);
    expect(results[0]).toEqual(failed('mine'));
    expect(results[2]).toEqual(failed('Cannot index number with string "b"'));
    expect(results[3]).toEqual(failed('{"a":1}'));
  });

  test.each([
    'input',
    'inputs',
    'halt',
    'halt_error',
    '"x" | halt_error(1)',
    'input_filename',
    'get_search_list',
    '"a" | modulemeta',
  ])('does not offer %s', async (program) => {
    const results = await engines.runJq(['true', program, 'true'], '1');
    expect(results).toEqual([outputs(true), failed(expect.stringMatching(/is not available$/)), outputs(true)]);
  });

  test('hides the environment and writes no messages', async () => {
    const programs = ['$ENV', 'env', '$ENV.PATH', 'env.HOME', 'debug', 'stderr', 'debug("x")'];
    expect(await engines.runJq(programs, '1')).toEqual([
      outputs({}),
      outputs({}),
      outputs(null),
      outputs(null),
      outputs(1),
      outputs(1),
      outputs(1),
    ]);
  });

  test.each([
    'true # comment',
    'true # comment \\',
    'true # \\\\',
    'true # \\\r',
    'true\n#',
    'def f: true; f',
    '. as $x | true',
    'label $f | true, break $f',
  ])('keeps the program %j apart from the programs beside it', async (program) => {
    expect(await engines.checkJq([program])).toEqual([null]);
    expect(await engines.runJq([program, '2', program], '1')).toEqual([outputs(true), outputs(2), outputs(true)]);
  });

  test('no program that compiles changes the outcome of another', async () => {
    // No piece can make a loop: a breach of a limit would rightly be the outcome of all programs.
    const piece = fc.constantFrom(
      'true',
      '1',
      '.',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      ',',
      '|',
      '#',
      '\\',
      '\n',
      '"',
      '\\(',
      'try',
      'catch',
      'error',
      'empty',
      'as $x',
      '$x',
      'label $f |',
      'break $f',
      'outputs:',
      'if',
      'then',
      'end',
      '?',
      '//',
      'halt',
      'input',
      '$ENV',
      '-',
      '..',
    );
    const program = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(' '));
    let compiled = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(program, { minLength: 100, maxLength: 100 }), async (programs) => {
        const problems = await engines.checkJq(programs);
        const sound = programs.filter((_, i) => problems[i] === null).slice(0, 30);
        compiled += sound.length;
        const results = await engines.runJq(
          sound.flatMap((between) => ['1', between, '2']),
          'true',
        );
        expect(results).toHaveLength(3 * sound.length);
        expect(results.filter((_, i) => i % 3 === 0)).toEqual(sound.map(() => outputs(1)));
        expect(results.filter((_, i) => i % 3 === 2)).toEqual(sound.map(() => outputs(2)));
      }),
      { numRuns: 15 },
    );
    expect(compiled).toBeGreaterThan(50);
  }, 60_000);

  test('runs unchecked programs one by one if the common run fails', async () => {
    const results = await engines.runJq(['true', '.a ]', 'true'], '1');
    expect(results).toEqual([outputs(true), failed(expect.stringMatching(/syntax error/)), outputs(true)]);
  });

  test('compares integers that have more digits than a double can hold', async () => {
    const programs = ['.a == 10000000000000000000001', '.a == 10000000000000000000000', '.a'];
    const results = await engines.runJq(programs, '{"a": 10000000000000000000001}');
    expect(results.slice(0, 2)).toEqual([outputs(true), outputs(false)]);
  });

  test('returns an error for each program if the document is not JSON', async () => {
    for (const text of ['', 'nope', '{"a":', '1 2']) {
      expect(await engines.runJq(['true', '.'], text)).toEqual([
        failed(expect.any(String)),
        failed(expect.any(String)),
      ]);
    }
  });

  test('reads documents of every allowed depth correctly', async () => {
    for (const depth of [20, 40, 64, 100, 200, 250]) {
      const json = '['.repeat(depth) + ']'.repeat(depth);
      const programs = ['tojson | length', '. == (tojson | fromjson)', '[., .] | sort | length', '[paths] | length'];
      expect(await engines.runJq(programs, json)).toEqual([
        outputs(2 * depth),
        outputs(true),
        outputs(2),
        outputs(depth - 1),
      ]);
    }
  });

  test('refuses a document that is nested too deep', async () => {
    const json = '['.repeat(10_000) + ']'.repeat(10_000);
    expect(await engines.runJq(['true'], json)).toEqual([failed('JSON nested deeper than 250 levels')]);
  });

  test('limits the output and the error message of each program', async () => {
    const results = await engines.runJq([`"x" * ${MAX_OUTPUT_LENGTH}`, 'true', 'error("y" * 10000)'], '1');
    expect(results[0]).toEqual(failed('gave more than 65536 characters of output'));
    expect(results[1]).toEqual(outputs(true));
    expect(results[2]?.ok === false && results[2].error.length).toBe(501);
  });

  test('treats prototype keys as data', async () => {
    const programs = ['.__proto__.a', 'has("constructor")'];
    expect(await engines.runJq(programs, '{"__proto__": {"a": true}}')).toEqual([outputs(true), outputs(false)]);
    expect({}).not.toHaveProperty('a');
  });
});
