import { describe, expect, test } from 'vitest';
import { compileModules, evaluate, parseModules, RegoError } from '#shared/rego/index.ts';
import { equal, type Value } from '#shared/rego/values/value.ts';
import { type RegoCase, readCases } from './case-files.ts';
import { LEFT_OUT } from './left-out.ts';

const CASES = readCases();
const NOW = 1_700_000_000_000_000_000n;

/** Modules of before v1 are read as such, unless they say that they are v1. */
function compile({ modules, data }: RegoCase) {
  const files = modules.map((text, index) => ({ path: `module-${index}.rego`, text }));
  const documents = Object.fromEntries(data.pairs().map(([key, value]): [string, Value] => [String(key), value]));
  try {
    return compileModules(parseModules(files), documents);
  } catch (error) {
    if (!(error instanceof RegoError) || modules.some((text) => text.includes('rego.v1'))) throw error;
    return compileModules(parseModules(files, { dialect: 'v0' }), documents);
  }
}

/** Cases that want an error run strictly, since the engine they are of does; all others as the reference runs. */
function run(one: RegoCase): Value | undefined {
  const strict = one.want.kind === 'error';
  return evaluate(compile(one), { query: one.query, input: one.input, now: NOW, strict }).exact;
}

/** What a case comes to, as a sentence; empty where it is as wanted. */
function difference(one: RegoCase): string {
  try {
    const got = run(one);
    if (one.want.kind === 'error') return 'no error';
    if (one.want.kind !== 'result') return got === undefined ? '' : 'defined';
    if (got === undefined) return 'undefined';
    return equal(got, one.want.value) ? '' : 'another value';
  } catch (error) {
    if (!(error instanceof RegoError)) throw error;
    return one.want.kind === 'error' ? '' : `${error.kind}: ${error.message}`;
  }
}

describe('the cases of test/rego-cases', () => {
  const inScope = CASES.filter(({ id, skip }) => !skip && !LEFT_OUT.has(id));

  test.each(inScope)('$id', (one) => {
    expect(difference(one)).toBe('');
  });

  test('are left out only with a reason, and each left-out case exists', () => {
    const known = new Set(CASES.map(({ id }) => id));
    expect([...LEFT_OUT.keys()].filter((id) => !known.has(id))).toEqual([]);
  });

  test('has no left-out case that would pass', () => {
    const passing = CASES.filter((one) => LEFT_OUT.has(one.id) && difference(one) === '');
    expect(passing.map(({ id }) => id)).toEqual([]);
  });

  test('are counted', () => {
    const reasons = new Map<string, number>();
    for (const { id, skip } of CASES) {
      const reason = skip ? 'marked to be skipped by the cases themselves' : LEFT_OUT.get(id);
      if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    const passed = inScope.filter((one) => difference(one) === '').length;
    const lines = [...reasons].map(([reason, count]) => `  ${count} left out: ${reason}`);
    console.info([`rego cases: ${CASES.length} read, ${inScope.length} run, ${passed} passed`, ...lines].join('\n'));
    expect(inScope.length).toBeGreaterThan(500);
  });
});
