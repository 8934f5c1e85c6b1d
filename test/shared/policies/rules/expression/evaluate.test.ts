import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ExpressionScope,
  evaluateExpression,
  MAX_MATCHED_TEXT,
} from '#shared/policies/rules/expression/evaluate.ts';
import { parseExpression } from '#shared/policies/rules/expression/parse.ts';

const FINGERPRINT = 'ab'.repeat(32);

const SCOPE: ExpressionScope = {
  flow: {
    name: 'web',
    tags: { kind: 'build', score: '7', version: '1.10', empty: '', 'risk-level': 'low', yes: 'true' },
  },
  artifact: { name: 'registry/web:1.2', fingerprint: FINGERPRINT },
};

const outcomeOf = (text: string, scope = SCOPE) => evaluateExpression(parseExpression(text), scope);

/** Returns the value, or the text of the problem. */
function result(text: string, scope = SCOPE): boolean | string {
  const outcome = outcomeOf(text, scope);
  return outcome.outcome === 'value' ? outcome.value : outcome.problem;
}

const WITHOUT_FLOW = { ...SCOPE, flow: null };

describe('values', () => {
  test.each([
    ['flow.name == "web"', true],
    ['flow.name != "web"', false],
    ['artifact.name == "registry/web:1.2"', true],
    [`artifact.fingerprint == "${FINGERPRINT}"`, true],
    ['flow.tags.kind == "build"', true],
    ['flow.tags.risk-level == "low"', true],
    ['flow.tags.empty == ""', true],
    ['flow.name == "Web"', false],
    ['true', true],
    ['false', false],
    ['true == (1 == 1)', true],
    ['false != true', true],
  ])('%s is %s', (text, expected) => {
    expect(result(text)).toBe(expected);
  });
});

describe('numbers', () => {
  test.each([
    ['flow.tags.score > 5', true],
    ['flow.tags.score >= 7', true],
    ['flow.tags.score < 7.5', true],
    ['flow.tags.score <= 6', false],
    ['flow.tags.score == 7', true],
    ['flow.tags.score == 7.0', true],
    ['flow.tags.score != 7', false],
    ['7 == flow.tags.score', true],
    ['flow.tags.score == "7"', true],
    ['flow.tags.score == "7.0"', false],
    ['flow.tags.score > "10"', false],
    ['flow.tags.score < "10"', true],
    ['flow.tags.version < "1.9"', true],
    ['flow.tags.kind > 5', false],
    ['flow.tags.kind < 5', false],
    ['flow.tags.kind <= "build"', false],
    ['flow.tags.kind == 5', false],
    ['flow.tags.kind != 5', true],
    ['1 < 2', true],
    ['-1 < 0', true],
  ])('%s is %s', (text, expected) => {
    expect(result(text)).toBe(expected);
  });
});

describe('missing values', () => {
  test.each(['flow.tags.none', 'flow.tags.toString', 'flow.tags.__proto__'])('%s has no value', (tag) => {
    expect(result(`exists(${tag})`)).toBe(false);
    expect(result(`${tag} == "x"`)).toBe(false);
    expect(result(`"x" == ${tag}`)).toBe(false);
    expect(result(`${tag} != "x"`)).toBe(true);
    expect(result(`${tag} == ${tag}`)).toBe(false);
    expect(result(`${tag} != ${tag}`)).toBe(true);
    for (const operator of ['<', '<=', '>', '>=']) {
      expect(result(`${tag} ${operator} 1`)).toBe(false);
      expect(result(`1 ${operator} ${tag}`)).toBe(false);
    }
    expect(result(`${tag} in ["x", ${tag}]`)).toBe(false);
    expect(result(`"x" in ${tag}`)).toBe(false);
    expect(result(`matches(${tag}, "")`)).toBe(false);
  });

  test('a missing flow has no name and no tags', () => {
    expect(result('exists(flow)', WITHOUT_FLOW)).toBe(false);
    expect(result('exists(flow.name)', WITHOUT_FLOW)).toBe(false);
    expect(result('exists(flow.tags.kind)', WITHOUT_FLOW)).toBe(false);
    expect(result('flow.name != "web"', WITHOUT_FLOW)).toBe(true);
    expect(result('flow == "web"', WITHOUT_FLOW)).toBe(false);
    expect(result('exists(artifact) and exists(artifact.name)', WITHOUT_FLOW)).toBe(true);
  });

  test('an empty tag exists', () => {
    expect(result('exists(flow.tags.empty) and exists(flow)')).toBe(true);
  });
});

describe('lists', () => {
  test.each([
    ['flow.name in ["api", "web"]', true],
    ['flow.name in ["api"]', false],
    ['flow.name in []', false],
    ['flow.name in ([flow.name])', true],
    ['flow.tags.score in [1, 7.0]', true],
    ['"web" in [flow.tags.none, flow.name]', true],
    ['not flow.name in ["api"]', true],
  ])('%s is %s', (text, expected) => {
    expect(result(text)).toBe(expected);
  });
});

describe('matches', () => {
  test.each([
    ['matches(artifact.name, "web")', true],
    ['matches(artifact.name, "^web")', false],
    ['matches(artifact.name, "^registry/.*:\\d+\\.\\d+$")', true],
    ['matches(artifact.name, "(?i)WEB")', true],
    ['matches(flow.tags.empty, "^$")', true],
    ['matches("abc", "b")', true],
  ])('%s is %s', (text, expected) => {
    expect(result(text)).toBe(expected);
  });

  test.each(['(a+)+$', '(a|a)+$', '(.*a){20}$', '(a?){30}a{30}$'])(
    '%s ends on a text made to keep it busy',
    (pattern) => {
      const name = `${'a'.repeat(MAX_MATCHED_TEXT - 1)}!`;
      expect(result(`matches(artifact.name, "${pattern}")`, { flow: null, artifact: { name, fingerprint: '' } })).toBe(
        false,
      );
    },
  );

  test('refuses to search a text beyond its limit', () => {
    const artifact = { name: 'a'.repeat(MAX_MATCHED_TEXT + 1), fingerprint: '' };
    expect(result('matches(artifact.name, "a")', { flow: null, artifact })).toBe(
      'line 1, column 9: expected a string of at most 4096 characters',
    );
  });
});

describe('logic', () => {
  test.each([
    ['not flow.name == "api"', true],
    ['true and not false or false', true],
    ['false and false or true', true],
    ['false and (false or true)', false],
  ])('%s is %s', (text, expected) => {
    expect(result(text)).toBe(expected);
  });

  test('stops at the first operand that decides, so that exists guards the operands after it', () => {
    expect(result('false and flow.name')).toBe(false);
    expect(result('true or flow.name')).toBe(true);
    expect(result('exists(flow.tags.env) and flow.tags.env != "aws-prod"')).toBe(false);
    const tagged = { ...SCOPE, flow: { name: 'web', tags: { env: 'aws-beta' } } };
    expect(result('exists(flow.tags.env) and flow.tags.env != "aws-prod"', tagged)).toBe(true);
  });

  test('agrees with the tree that a text is generated from, with no more brackets than needed', () => {
    fc.assert(
      fc.property(logic, ({ text, value }) => {
        expect(result(text)).toBe(value);
      }),
      { numRuns: 500 },
    );
  });
});

/** A term. The level is the precedence of its outermost operator. */
interface Logic {
  text: string;
  level: 'or' | 'and' | 'not' | 'primary';
  value: boolean;
}

const LEVELS = ['or', 'and', 'not', 'primary'];
const within = (level: Logic['level'], { text, level: own }: Logic) =>
  LEVELS.indexOf(own) >= LEVELS.indexOf(level) ? text : `(${text})`;

const { logic } = fc.letrec<{ logic: Logic }>((tie) => ({
  logic: fc.oneof(
    { maxDepth: 5 },
    fc.boolean().map((value): Logic => ({ text: `${value}`, level: 'primary', value })),
    tie('logic').map((inner): Logic => ({ text: `not ${within('not', inner)}`, level: 'not', value: !inner.value })),
    fc.tuple(tie('logic'), tie('logic')).map(
      ([a, b]): Logic => ({
        text: `${within('and', a)} and ${within('and', b)}`,
        level: 'and',
        value: a.value && b.value,
      }),
    ),
    fc.tuple(tie('logic'), tie('logic')).map(
      ([a, b]): Logic => ({
        text: `${within('or', a)} or ${within('or', b)}`,
        level: 'or',
        value: a.value || b.value,
      }),
    ),
  ),
}));

describe('a type error is an outcome with its position', () => {
  test.each([
    ['flow.name', 'line 1, column 1: expected a boolean, found a string'],
    ['"true"', 'line 1, column 1: expected a boolean, found a string'],
    ['1', 'line 1, column 1: expected a boolean, found a number'],
    ['[]', 'line 1, column 1: expected a boolean, found a list'],
    ['flow', 'line 1, column 1: expected a boolean, found an object'],
    ['flow.tags.none', 'line 1, column 1: expected a boolean, found nothing'],
    ['true and flow.tags.yes', 'line 1, column 10: expected a boolean, found a string'],
    ['not flow.name', 'line 1, column 5: expected a boolean, found a string'],
    ['flow == "web"', 'line 1, column 9: expected values that compare, found an object and a string'],
    ['flow.tags.yes == true', 'line 1, column 18: expected values that compare, found a string and a boolean'],
    ['flow.tags.yes != true', 'line 1, column 18: expected values that compare, found a string and a boolean'],
    ['true > 1', 'line 1, column 8: expected values that compare, found a boolean and a number'],
    ['flow.name == ["web"]', 'line 1, column 14: expected values that compare, found a string and a list'],
    ['flow.name in [true]', 'line 1, column 15: expected values that compare, found a string and a boolean'],
    ['"we" in flow.name', 'line 1, column 9: expected a list, found a string'],
    ['matches(flow, "a")', 'line 1, column 9: expected a string, found an object'],
    ['matches(1, "a")', 'line 1, column 9: expected a string, found a number'],
  ])('%s', (text, problem) => {
    expect(result(text)).toBe(problem);
  });
});
